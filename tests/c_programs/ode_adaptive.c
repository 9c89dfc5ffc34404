//: head ode_adaptive(ode_adaptive)/(y0,k)
//: result double
//: arg double y0
//: arg double k
//: tolerance 1e-11
#include <math.h>
static double rhs(double t, double y, double k) { return -k * y * y + cos(t); }
double ode_adaptive(double y0, double k) {
  double t = 0, h = 0.3, y = y0;
  const double end = 1.5;
  int rejected = 0;
  while (t < end) {
    if (t + h > end)
      h = end - t;
    double k1 = rhs(t, y, k), k2 = rhs(t + h, y + h * k1, k);
    double err = fabs(0.5 * h * (k2 - k1));
    if (err > 0.02 && rejected < 20) {
      h *= 0.5;
      rejected++;
      continue;
    }
    y += 0.5 * h * (k1 + k2);
    t += h;
    if (err < 0.005)
      h *= 2;
  }
  return y;
}
