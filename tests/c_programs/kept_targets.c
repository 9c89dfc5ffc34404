//: head kept_targets(y)/(x)
//: arg double x[3]
//: arg out double y[3]
/* Structures of the file that nothing stores to, whose pointers lead to tables of the file: series of Chebyshev polynomials. */
typedef struct chebyshev {
  double *c;
  int order;
  double a, b;
} chebyshev;

static double kept_coefficients[5] = {1.2, -0.7, 0.31, 0.05, -0.011};
static double more_coefficients[3] = {0.4, 0.9, -0.2};

static chebyshev kept_series = {kept_coefficients, 4, -1.0, 2.0};
static const chebyshev more_series = {more_coefficients, 2, 0.0, 1.0};

static double chebyshev_value(const chebyshev *s, double x) {
  double d = 0.0, dd = 0.0, y = (2.0 * x - s->a - s->b) / (s->b - s->a), y2 = 2.0 * y;
  int j;
  for (j = s->order; j >= 1; j--) {
    double t = d;
    d = y2 * d - dd + s->c[j];
    dd = t;
  }
  return y * d - dd + 0.5 * s->c[0];
}

void kept_targets(const double *x, double *y) {
  y[0] = chebyshev_value(&kept_series, x[0]);
  y[1] = chebyshev_value(&more_series, x[1]) * chebyshev_value(&kept_series, x[2]);
  y[2] = kept_series.c[1] * x[0] + more_series.c[2] * x[1] * x[1];
}
