//: head lu(lu,a)/(a)
//: result double
//: arg int n = 4
//: arg double a[16] = 0.5:2
//: run n=2
//: run n=0
#include <math.h>
/* LU with row pivoting in place; returns the log of the determinant. */
double lu(int n, double *a) {
  double logdet = 0.0;
  for (int k = 0; k < n; k++) {
    int piv = k;
    double big = fabs(a[k * n + k]);
    for (int i = k + 1; i < n; i++) {
      if (fabs(a[i * n + k]) > big) {
        big = fabs(a[i * n + k]);
        piv = i;
      }
    }
    if (piv != k) {
      for (int j = 0; j < n; j++) {
        double t = a[k * n + j];
        a[k * n + j] = a[piv * n + j];
        a[piv * n + j] = t;
      }
    }
    if (big == 0.0)
      return -1.0;
    for (int i = k + 1; i < n; i++) {
      a[i * n + k] /= a[k * n + k];
      for (int j = k + 1; j < n; j++)
        a[i * n + j] -= a[i * n + k] * a[k * n + j];
    }
    logdet += log(fabs(a[k * n + k]));
  }
  return logdet;
}
