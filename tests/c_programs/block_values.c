//: head block_values(block_values)/(x)
//: result double
//: arg int n = 4
//: arg double x[4] = 0.5:2
//: run n=0
//: run n=1

/* Blocks that have values, and types that are told by expressions. */
#define LARGER(a, b) __extension__({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); _a > _b ? _a : _b; })
#define SQUARE(a) __extension__({ __typeof__(a) _s = (a); _s * _s; })
#define SUM(n, v) \
  __extension__({ double _r = 0.0; for (int _i = 0; _i < (n); _i++) _r += (v)[_i] * (v)[_i]; _r; })

static double bv_chosen(int n, double a, double b) {
  double r = n > 1 ? SQUARE(a * b) : a;
  if (n > 2 && SQUARE(r) > 1e-6)
    r += LARGER(SQUARE(a), b * LARGER(a, 0.7));
  return r;
}

double block_values(int n, const double *x) {
  double s = SUM(n, x), t = 1.0;
  for (int i = 0; i < n; i++) {
    t = SQUARE(t) + x[i] * LARGER(x[i], 1.0);
    s += bv_chosen(i, t, x[i]) / LARGER(i, 1);
    __extension__({ s *= 0.5; t *= 0.25; });
  }
  return s * t;
}
