//: head math_with_targets(y)/(x)
//: arg double x[6] = {1.3, -0.7, 1.6, 0.57, -2.2, 3.3}
//: loose
//: arg out double y[12]

#define _GNU_SOURCE
#include <math.h>

/* Functions of the library that set what their arguments point to. */
void math_with_targets(const double *x, double *y) {
  int q, k;
  double s, c;
  for (k = 0; k < 6; k++) {
    double r = remquo(x[k], 0.7 + 0.01 * x[0], &q);
    y[k] = r * r + x[k] * (q & 7) + x[0] * (q < 0);
    sincos(x[k] * r, &s, &c);
    y[k] += s * c * c;
    s = x[k];
    sincos(s, &s, &c);
    y[k] += s * c;
    sincos(y[k], &y[6 + k], &c);
    y[6 + k] += c * (fpclassify(x[k]) == FP_NORMAL ? 2 : 3);
  }
}
