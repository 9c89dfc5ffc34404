//: head points(points)/(x,p)
//: result double
//: arg int n = 5
//: arg double x[10]
//: arg double p[2]
//: run n=0
//: run n=1
#include <math.h>
/* Rounds that stand alone: what they compute is computed again, not recorded; the sum and the greatest are needed later. */
double points(int n, const double x[10], const double p[2]) {
  double sum = 0, greatest = -100, scale = p[0] * p[0], t = scale + 1;
  double early = t * t;
  for (int i = 0; i < n; i++) {
    double a = x[2 * i], b = x[2 * i + 1];
    double q = 0;
    for (int k = 0; k < 3; k++) {
      double d = a - k * b;
      if (d > 0.2)
        q += exp(-d * d / scale);
      else
        q += 1 + d * p[1];
    }
    t = log(1 + q * q);
    sum += t * sqrt(1 + a * a);
    if (t > greatest)
      greatest = t;
  }
  return sum * sum + greatest * p[1] + early;
}
