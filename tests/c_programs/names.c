//: head names(names)/(sin_,fb,yd)
//: result double
//: arg double sin_
//: arg double fb
//: arg double yd
#include <math.h>
static double names_b1(double t) { return t * t; }
/* `k` and `ob_...`: names that printed code likes to take itself. */
static double k(double branch, double trips) { return branch * trips; }
double names(double sin_, double fb, double yd) {
  double names_d = sin(sin_), left = fb * yd, y = names_b1(left);
  int i_old = 0, ob_stack = 3;
  while (i_old++ < ob_stack)
    names_d += k(left, y) * i_old;
  return names_d;
}
