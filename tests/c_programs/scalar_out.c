//: head scalar_out(s,t)/(a,b)
//: arg double a
//: arg double b
//: arg out double s[1]
//: arg out double t[1]
#include <math.h>
static void polar(double x, double y, double *r, double *phi) {
  *r = sqrt(x * x + y * y);
  *phi = atan2(y, x);
}
void scalar_out(double a, double b, double *s, double *t) {
  double r, phi;
  polar(a, b, &r, &phi);
  polar(r, phi, s, t);
  *s *= *t;
  *t += *s * *s;
}
