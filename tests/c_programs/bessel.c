//: head bessel(u)/(r,a)
//: arg int n = 3
//: arg double r[4]
//: arg double a
//: arg out double u[4]
//: loose
#define _DEFAULT_SOURCE
#include <math.h>
/* Bessel functions by the names that C has for them, beside variables of these names. */
void bessel(int n, const double *r, double a, double *u) {
  for (int i = 0; i < 4; i++) {
    double x = 0.5 + r[i] * r[i], y1 = a * x;
    float j1f = 2.0f;
    u[i] = a * j0(x) + j1(y1) * y0(x) / j1f;
    for (int k = 0; k <= n; k++)
      u[i] += jn(k, x) * a + 0.01 * yn(k, 1.0 + x);
  }
}
