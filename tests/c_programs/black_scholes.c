//: head black_scholes(black_scholes)/(s,k,r,t,v)
//: result double
//: arg double s = 1.1
//: arg double k = 1
//: arg double r = 0.05
//: arg double t = 1.5
//: arg double v = 0.3
#include <math.h>
static double cnd(double x) { return 0.5 * erfc(-x / sqrt(2.0)); }
double black_scholes(double s, double k, double r, double t, double v) {
  double d1 = (log(s / k) + (r + v * v / 2) * t) / (v * sqrt(t));
  double d2 = d1 - v * sqrt(t);
  return s * cnd(d1) - k * exp(-r * t) * cnd(d2);
}
