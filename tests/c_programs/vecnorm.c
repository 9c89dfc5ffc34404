//: head vecnorm(vecnorm,u)/(v)
//: result double
//: arg int n = 4
//: arg double v[4]
//: arg double u[4]
#include <math.h>
typedef const double *cvec;
typedef double *vec;
static double norm2(int n, cvec v) {
  double s = 0;
  int i;
  for (i = 0; i < n; ++i, ++v)
    s += *v * *v;
  return sqrt(s);
}
static void copy(int n, cvec from, vec to) {
  while (n-- > 0)
    *to++ = *from++;
}
double vecnorm(int n, cvec v, vec u) {
  vec end = u + n, p;
  double s = norm2(n, v);
  copy(n, v, u);
  for (p = u; p != end; ++p)
    *p /= s;
  p = &u[n - 1];
  while (p > u) {
    p[-1] += *p;
    --p;
  }
  return s;
}
