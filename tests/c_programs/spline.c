//: head spline(spline)/(x,y,t)
//: result double
//: arg int n = 5
//: arg double x[5] = {0.0,0.9,2.1,3.0,4.2}
//: arg double y[5]
//: arg double t = 2.5
#include <stdlib.h>
double spline(int n, const double *x, const double *y, double t) {
  double *m = calloc((size_t)n, sizeof *m);
  double *u = (double *)calloc(n, sizeof(double));
  if (m == NULL || u == NULL) {
    free(m);
    free(u);
    return 0.0;
  }
  for (int i = 1; i < n - 1; i++) {
    double sig = (x[i] - x[i - 1]) / (x[i + 1] - x[i - 1]);
    double p = sig * m[i - 1] + 2.0;
    m[i] = (sig - 1.0) / p;
    u[i] = (y[i + 1] - y[i]) / (x[i + 1] - x[i]) - (y[i] - y[i - 1]) / (x[i] - x[i - 1]);
    u[i] = (6.0 * u[i] / (x[i + 1] - x[i - 1]) - sig * u[i - 1]) / p;
  }
  m[n - 1] = 0.0;
  for (int k = n - 2; k >= 0; k--)
    m[k] = m[k] * m[k + 1] + u[k];
  int lo = 0, hi = n - 1;
  while (hi - lo > 1) {
    int mid = (hi + lo) >> 1;
    if (x[mid] > t)
      hi = mid;
    else
      lo = mid;
  }
  double h = x[hi] - x[lo];
  double a = (x[hi] - t) / h, b = (t - x[lo]) / h;
  double r = a * y[lo] + b * y[hi] + ((a * a * a - a) * m[lo] + (b * b * b - b) * m[hi]) * (h * h) / 6.0;
  free(u);
  free(m);
  return r;
}
