//: head bisection(bisection)/(c)
//: result double
//: arg double c[3]
#include <math.h>
static double value(const double *c, double x) { return ((x + c[0]) * x - c[1]) * x - c[2]; }
/* bisection finds the place, one Newton step makes it depend on c */
double bisection(const double *c) {
  double lo = 0.0, hi = 4.0;
  while (hi - lo > 1e-4) {
    double mid = 0.5 * (lo + hi);
    if (value(c, mid) > 0.0)
      hi = mid;
    else
      lo = mid;
  }
  return lo - value(c, lo) / (3 * lo * lo + 2 * c[0] * lo - c[1]);
}
