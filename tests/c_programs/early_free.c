//: head early_free(early_free)/(x)
//: result double
//: arg int n = 4
//: arg double cut = 0.5
//: arg double x[4]
//: run cut=-1
//: run cut=100
#include <stdlib.h>
static double partial(int n, const double *x, double cut) {
  double *w = calloc(n, sizeof *w), s = 0;
  if (!w)
    return 0;
  for (int i = 0; i < n; i++) {
    w[i] = x[i] * x[i] + (i > 0 ? w[i - 1] : 0.0);
    if (w[i] > cut) {
      s = w[i] * w[0];
      free(w);
      return s;
    }
  }
  for (int i = 0; i < n; i++)
    s += w[i] * x[i];
  free(w);
  return s;
}
double early_free(int n, double cut, const double *x) {
  double a = partial(n, x, cut);
  return a * partial(n - 1, x + 1, cut + a);
}
