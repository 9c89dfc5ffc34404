//: head calls(calls,r)/(a,x)
//: result double
//: arg int n = 4
//: arg double a
//: arg double x[4]
//: arg out double r[2]
#include <math.h>
static double square(double v) { return v * v; }
static void minmax(int n, const double *v, double *lo, double *hi) {
  *lo = *hi = v[0];
  for (int i = 1; i < n; i++) {
    if (v[i] < *lo)
      *lo = v[i];
    if (v[i] > *hi)
      *hi = v[i];
  }
}
static int scale(int n, double *v, double by) {
  int k = 0;
  for (; k < n; k++)
    v[k] *= by;
  return k;
}
static double dot(int n, const double *u, const double *v) {
  double s = 0;
  while (n > 0) {
    n--;
    s += u[n] * v[n];
  }
  return s;
}
double calls(int n, double a, const double *x, double *r) {
  double w[10] = {0}, lo, hi;
  for (int i = 0; i < n; i++)
    w[i] = square(square(x[i]) + a);
  minmax(n, w, &lo, &hi);
  int done = scale(n - 1, w + 1, sin(lo) * hi);
  minmax(done, &w[1], &r[0], r + 1);
  a = dot(n, w, x) + dot(2, &x[1], w + 2);
  return square(a) * dot(n, x, x) + square(hi - lo);
}
