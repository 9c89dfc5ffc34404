// Structures behind pointers in a structure of the function itself: calls get a structure whose pointers point to what these stand for.
//: head pointed(y)/(x)
//: arg double x[3]
//: arg out double y[2]
struct grid {
  double w[2][3];
  int n;
};

struct scale {
  double by;
};

struct work {
  struct grid *grid;
  const struct scale *scales;
  double offset;
};

static double row(struct work *p, int k) {
  double s = p->offset;
  for (int i = 0; i < p->grid->n; i++) {
    p->grid->w[k][i] *= p->scales[k].by;
    s += p->grid->w[k][i] * p->grid->w[k][i];
  }
  p->offset += p->scales[1].by;
  return s;
}

void pointed(const double *x, double *y) {
  struct grid g = {{{x[0], x[1], 2.0}, {1.0, x[2], x[0] * x[1]}}, 3};
  struct scale scales[2] = {{1.5}, {x[1]}};
  struct work w;
  w.grid = &g;
  w.scales = scales;
  w.offset = x[2];
  y[0] = row(&w, 0);
  y[1] = row(&w, 1);
}
