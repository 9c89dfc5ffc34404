//: head pointer_lives(y)/(x)
//: arg int n = 4
//: arg int odd = 1
//: arg double x[8]
//: arg out double y[3]
//: run odd=0
//: run n=0
//: run n=1
//: run n=2

/* One name for several pointers, one after the other, as they are declared at the top. */
struct pl_mass { double m, c[2]; int tag; };
struct pl_set { struct pl_mass mass[4]; int n; double shift[3], other[3]; };

static double pl_sum(const struct pl_set *s, const struct pl_set *t, int odd) {
  const struct pl_mass *p;
  const double *w;
  double r = 0.0, own[3];
  int i;
  for (i = 0; i < s->n; i++) {
    p = &s->mass[i];
    if (p->tag == odd)
      continue;
    r += p->m * p->c[0];
  }
  for (i = 0; i < t->n; i++) {
    p = t->mass + i;
    r += p->c[0] * p->c[1];
  }
  p = s->mass;
  r += p->m;
  p++;
  r *= p->m;
  if (odd > 0) {
    w = s->shift;
  } else {
    for (i = 0; i < 3; i++)
      own[i] = s->shift[i] * r;
    w = own;
  }
  for (i = 0; i < 3; i++)
    r += w[i] * w[(i + 1) % 3];
  w = odd ? s->other : own + 1;
  return r + w[0] * w[1];
}

/* A pointer that keeps its target from one round to the next has one life. */
static double pl_last(int n, const struct pl_mass *a, const struct pl_mass *b) {
  const struct pl_mass *p = a;
  double r = 0.0;
  for (int i = 0; i < n; i++) {
    r += p->m * p->c[1];
    if (i % 2 == 1)
      p = &b[i];
    r -= p->m;
  }
  return r * p->m;
}

/* What a switch leaves a pointer at. */
static double pl_switched(int k, struct pl_mass *a, struct pl_mass *b) {
  struct pl_mass *p;
  switch (k) {
  case 0:
    p = a;
    break;
  case 1:
    p = &a[1];
    break;
  default:
    p = b;
  }
  p->m *= p->c[0];
  p->c[1] += p->m * p->m;
  return p->c[1];
}

void pointer_lives(int n, int odd, const double *x, double *y) {
  struct pl_set s, t;
  struct pl_mass *a = s.mass, *b = t.mass;
  int i;
  for (i = 0; i < 4; i++) {
    a[i].m = x[i] * x[7 - i];
    a[i].c[0] = x[i + 1];
    a[i].c[1] = x[i] + 1.0;
    a[i].tag = i % 2;
  }
  for (i = 0; i < 4; i++) {
    b[i] = a[3 - i];
    b[i].m += x[i + 2];
  }
  s.n = t.n = n;
  for (i = 0; i < 3; i++) {
    s.shift[i] = x[i + 3] * x[i];
    s.other[i] = x[i + 4] + x[i];
    t.shift[i] = s.shift[i];
  }
  y[0] = pl_sum(&s, &t, odd);
  y[1] = pl_last(n, a, b);
  y[2] = pl_switched(n, a, b);
  y[2] += a[0].m * b[0].m + a[1].m;
}
