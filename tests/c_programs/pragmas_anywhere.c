//: head pragmas_anywhere(pragmas_anywhere,y)/(x,w)
//: result double
//: arg int n = 5
//: arg int kind = 1
//: arg double x[5]
//: arg double w[5]
//: arg double y[3]
//: run kind=0
//: run kind=2
//: run kind=7
//: run n=0
#include <math.h>

#pragma GCC diagnostic push
static double blend(double a, double b) {
#pragma GCC diagnostic push
  double c = a * b;
#pragma GCC diagnostic pop
  c += sin(a);
#pragma GCC diagnostic push
  return c * b;
}
#pragma GCC diagnostic pop

/* Pragmas of others between all kinds of statements. */
double pragmas_anywhere(int n, int kind, const double *x, const double *w, double *y) {
#pragma GCC diagnostic push
  double s = 0.0, last = 1.0;
  int rest = n;
#pragma GCC diagnostic push
#pragma GCC diagnostic pop
  y[0] = 3.0 * x[0];
#pragma GCC diagnostic push
  y[1] = x[0] * w[1];
  y[2] = y[2] * w[0];
#pragma GCC diagnostic pop
#pragma GCC ivdep
  for (int i = 0; i < n; i++) {
#pragma GCC diagnostic push
    double t = x[i] * x[i];
#pragma GCC diagnostic push
    s += t;
    last = t * w[i];
    if (t > 0.25) {
#pragma GCC diagnostic push
      last = blend(last, t);
      s += 0.5 * last;
#pragma GCC diagnostic pop
    } else {
      s -= w[i] * t;
#pragma GCC diagnostic push
    }
#pragma GCC diagnostic pop
    y[1] += s * last;
  }
  switch (kind) {
  case 0:
#pragma GCC diagnostic push
    s *= last;
    y[0] += s;
    break;
  case 1:
    y[0] *= w[0];
#pragma GCC diagnostic pop
    s += y[0];
    /* falls through */
  case 2:
#pragma GCC diagnostic push
    y[1] = y[1] * s;
    break;
  default:
#pragma GCC diagnostic push
    s = exp(-s);
  }
  while (rest > 3) {
#pragma GCC diagnostic push
    s = s * w[3] + x[2];
    rest--;
#pragma GCC diagnostic pop
  }
#pragma GCC diagnostic push
  return s * y[1];
}
