//: head trapezoid(trapezoid)/(a,b,k)
//: result double
//: arg int n = 8
//: arg double a = 0.2
//: arg double b = 1.7
//: arg double k
#include <math.h>
static double f(double x, double k) { return exp(-k * x) * sin(x) + pow(x, k); }
double trapezoid(int n, double a, double b, double k) {
  double h = (b - a) / n, s = 0.5 * (f(a, k) + f(b, k));
  int i = 1;
  while (i < n)
    s += f(a + i++ * h, k);
  return s * h;
}
