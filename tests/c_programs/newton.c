//: head newton(newton)/(a,x0)
//: result double
//: arg double a = 2
//: arg double x0 = 1.5
//: tolerance 1e-11
#include <math.h>
double newton(double a, double x0) {
  double x = x0;
  for (int it = 0;; it++) {
    double f = x * x * x - a * x - 1.0, fp = 3.0 * x * x - a;
    double dx = f / fp;
    x -= dx;
    if (fabs(dx) < 1e-3)
      break;
    if (it > 50)
      return NAN;
  }
  return x;
}
