//: head structures_with_pointers(y)/(x)
//: arg int n = 3
//: arg double x[15]
//: arg out double y[3]

/* Structures that hold pointers, assigned, passed and returned as a whole: nobody follows the pointers of the copies. */
struct swp_sim;
struct swp_body { double m, x[3], v[3]; struct swp_sim *sim; struct swp_body *next; void *ap; };
struct swp_sim { double G; int n; struct swp_body *b; };

static struct swp_body swp_joined(struct swp_body a, struct swp_body b) {
  int k;
  for (k = 0; k < 3; k++) a.x[k] = (a.x[k] * a.m + b.x[k] * b.m) / (a.m + b.m + 2.0);
  a.m += b.m;
  return a;
}

static struct swp_body swp_minus(struct swp_body a, struct swp_body b) {
  struct swp_body c = {0};
  int k;
  c.m = a.m;
  for (k = 0; k < 3; k++) c.x[k] = a.x[k] - b.x[k];
  return c;
}

static void swp_step(int n, struct swp_body *ps, double *y) {
  int i, k;
  const struct swp_body s = ps[0];
  struct swp_body c = ps[0], d, two[2];
  for (i = 1; i < n; i++) {
    const struct swp_body p = ps[i];
    double r = 0;
    c = swp_joined(c, p);
    d = swp_minus(p, s);
    for (k = 0; k < 3; k++) {
      double t = p.x[k] - s.x[k];
      r += t * t + d.x[k] * c.x[k];
    }
    two[i % 2] = c;
    y[i] = s.m * p.m * r;
    ps[i].v[0] += r;
    ps[i].m *= two[i % 2].m;
    d = i > 1 ? two[0] : two[1];
    y[0] += d.m * d.x[1] * p.m;
  }
}

void structures_with_pointers(int n, const double *x, double *y) {
  struct swp_body ps[3] = {{0}};
  int i, k;
  y[0] = 0.0;
  for (i = 0; i < 3; i++) {
    ps[i].m = x[i];
    for (k = 0; k < 3; k++) ps[i].x[k] = x[3 * i + k] * x[i];
  }
  swp_step(n, ps, y);
  for (i = 0; i < n; i++) y[i] += ps[i].v[0] * ps[i].m;
}
