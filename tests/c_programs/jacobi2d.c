//: head jacobi2d/(f)
//: result double
//: arg int n = 5
//: arg double f[25]
/* Jacobi iteration with two fields that change roles until the update is small. */
#include <math.h>
#include <stdlib.h>
double jacobi2d(int n, const double *f) {
  const size_t total = (size_t)n * n;
  double *a = calloc(total, sizeof(double));
  double *b = calloc(total, sizeof(double));
  double change = 1;
  for (int it = 0; it < 8 && change > 1e-9; it++) {
    change = 0;
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++) {
        const int c = i * n + j;
        b[c] = 0.25 * (a[c - 1] + a[c + 1] + a[c - n] + a[c + n] + f[c] * exp(-a[c]));
        change += fabs(b[c] - a[c]);
      }
    double *const t = a;
    a = b;
    b = t;
  }
  double s = 0;
  for (size_t k = 0; k < total; k++)
    s += a[k] * f[k];
  free(a);
  free(b);
  return s;
}
