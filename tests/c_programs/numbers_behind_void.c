//: head numbers_behind_void(r,w)/(x,w)
//: arg double x[3]
//: arg double w[3]
//: arg out double r[3]

typedef double behind_void_function(unsigned n, const double *x, double *grad, void *data);

static double behind_void_weighted(unsigned n, const double *x, double *grad, void *data) {
  double *d = (double *)data;
  double s = 0;
  for (unsigned i = 0; i < n; i++) s += d[i] * x[i] * x[i] + ((const double *)data)[n - 1 - i];
  if (grad)
    for (unsigned i = 0; i < n; i++) grad[i] = d[i] * x[i];
  d[0] = s;
  return s;
}

static double behind_void_first(const double *x, const void *count) {
  double s = 1;
  for (unsigned i = 0; i < *(const unsigned *)count; i++) s *= x[i];
  return s;
}

static double behind_void_inner(const double *x, void *data) {
  double *w = data;
  w[1] *= x[0];
  return w[0] * x[1] + w[1];
}

/* It only hands the pointer on. */
static double behind_void_handed(const double *x, void *data) {
  return behind_void_inner(x, data) * x[0];
}

static double behind_void_apply(behind_void_function *f, const double *x, void *data) {
  return f(3, x, 0, data);
}

void numbers_behind_void(const double *x, double *w, double *r) {
  double t[3] = {x[0], w[0], 1};
  unsigned count = 2;
  r[0] = behind_void_handed(x, t);
  r[0] *= behind_void_handed(x, w) * t[1];
  r[1] = behind_void_apply(behind_void_weighted, x, w);
  r[2] = behind_void_first(x, &count) * w[0];
}
