//: head set_once(set_once)/(x)
//: result double
//: arg int n = 4
//: arg double x[4]
#include <math.h>
static double step(double x, double y) {
  static int ready, calls;
  static double weights[3];
  double t = 1.0;
  if (!ready) {
    for (int i = 0; i < 3; i++) {
      t *= 1.5;
      weights[i] = t;
    }
    ready = 1;
  }
  calls++;
  for (int i = 0; i < 3; i++) y = y * sin(x * weights[i]) + weights[0] * x;
  return y;
}
double set_once(int n, const double *x) {
  double y = 1.0;
  for (int i = 0; i < n; i++) y = step(x[i], y);
  return y;
}
