//: head two_level(e)/(p,q)
//: arg int n = 3
//: arg double p[9]
//: arg double q[3]
//: arg out double e[1]
#include <math.h>
/* pairwise energy with softening */
static inline double pair(const double *a, const double *b, double qa, double qb) {
  double d2 = 1e-2;
  for (int k = 0; k < 3; k++) {
    const double d = a[k] - b[k];
    d2 += d * d;
  }
  return qa * qb / sqrt(d2);
}
void two_level(int n, const double *p, const double *q, double *e) {
  *e = 0;
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++)
      *e += pair(&p[3 * i], p + 3 * j, q[i], q[j]);
}
