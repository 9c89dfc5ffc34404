//: head longdouble(longdouble)/(x)
//: result double
//: loose
//: arg int n = 4
//: arg double x[4]
#include <math.h>
double longdouble(int n, const double *x) {
  long double s = 0.0L, p = 1;
  for (int i = 0; i < n; i++) {
    s += (long double)x[i] * x[i];
    p *= cosl(x[i]) + 1e-3L;
  }
  return (double)(sqrtl(s) * p);
}
