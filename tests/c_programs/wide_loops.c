//: head wide_loops(wide_loops)/(x)
//: result double
//: loose
//: arg int n = 3
//: arg double x[3]

#include <math.h>

/* Constants of long double before and behind products, as factors of roots and error functions. */
double wide_loops(int n, const double *x) {
  long double s = 0.0L, t = 1.0L;
  int i;
  for (i = 0; i < n; i++) {
    long double z = x[i];
    s += sqrtl(z * z * 0.1L + 0.3L) * erfl(z * z * 0.7L);
    t *= exp2l(s * s * 0.01L) + cbrtl(s * 0.9L * 0.7L + 1.1L);
  }
  return (double)(s * 0.25L + 0.7L * (0.3L * t));
}
