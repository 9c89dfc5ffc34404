/* The misfit of a linear model, with a library for the linear algebra: |A*p - d|**2 / 2 + w*(p . p). */
#include "linalg.h"
#include <math.h>

double misfit(int m, int n, const double a[], const double p[], const double d[], double w, double r[restrict m]) {
  for (int i = 0; i < m; i++) {
    r[i] = -d[i];
  }
  gemv(m, n, a, p, r);
  for (int i = 0; i < m; i++) {
    r[i] = r[i] * exp(-0.1 * r[i]);
  }
  double size = dot(n, p, p);
  return 0.5 * dot(m, r, r) + w * size * size;
}
