//: head simpson/(a,b,w)
//: result double
//: arg double a
//: arg double b = 1:2
//: arg double w
//: tolerance 1e-9
#include <math.h>
static double integrand(double x, double w) { return exp(-w * x * x) * cos(x); }
static double step(double a, double b, double fa, double fm, double fb, double whole, double w, int depth) {
  const double m = 0.5 * (a + b), lm = 0.5 * (a + m), rm = 0.5 * (m + b);
  const double flm = integrand(lm, w), frm = integrand(rm, w);
  const double left = (m - a) / 6 * (fa + 4 * flm + fm), right = (b - m) / 6 * (fm + 4 * frm + fb);
  if (depth <= 0)
    return left + right + (left + right - whole) / 15;
  return step(a, m, fa, flm, fm, left, w, depth - 1) + step(m, b, fm, frm, fb, right, w, depth - 1);
}
double simpson(double a, double b, double w) {
  double fa = integrand(a, w), fb = integrand(b, w), fm = integrand((a + b) / 2, w);
  return step(a, b, fa, fm, fb, (b - a) / 6 * (fa + 4 * fm + fb), w, 3);
}
