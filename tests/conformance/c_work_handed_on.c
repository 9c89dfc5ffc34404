// work arrays that are handed on
// f(y)/(x)
#include <math.h>
static int roots(double *a, double *w, int n) {
  for (int i = 0; i < n; i++) {
    if (a[i] < 0.0)
      return 1;
    w[i] = sqrt(a[i]);
    a[i] = w[i] * w[0];
  }
  return 0;
}
static int shifted(const double *x, double *a, double *w, int n) {
  for (int i = 0; i < n; i++)
    a[i] = x[i] + 1.0;
  if (roots(a, w, n))
    return 1;
  for (int i = 0; i < n; i++)
    a[i] /= w[i];
  return 0;
}
static int ratios(const double *x, double *a, double *w, int n) {
  if (shifted(x, a, w, n))
    return 1;
  for (int i = 0; i < n; i++)
    a[i] *= a[i];
  return 0;
}
int f(const double *x, double *y) {
  double w[3];
  return ratios(x, y, w, 3);
}
