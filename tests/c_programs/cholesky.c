//: head cholesky(x)/(m,b)
//: arg int n = 4
//: arg double m[16]
//: arg double b[4]
//: arg out double x[4]
#include <math.h>
#define IDX(i, j) ((i) * n + (j))
/* solves (m m' + I) x = b */
void cholesky(int n, const double *m, const double *b, double *x) {
  double l[n * n], y[n];
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double s = i == j ? 1.0 : 0.0;
      for (int k = 0; k < n; k++)
        s += m[IDX(i, k)] * m[IDX(j, k)];
      for (int k = 0; k < j; k++)
        s -= l[IDX(i, k)] * l[IDX(j, k)];
      if (i == j)
        l[IDX(i, i)] = sqrt(s);
      else
        l[IDX(i, j)] = s / l[IDX(j, j)];
    }
  for (int i = 0; i < n; ++i) {
    y[i] = b[i];
    for (int k = 0; k < i; ++k)
      y[i] -= l[IDX(i, k)] * y[k];
    y[i] /= l[IDX(i, i)];
  }
  for (int i = n - 1; i >= 0; --i) {
    double s = y[i];
    for (int k = i + 1; k < n; k++)
      s -= l[IDX(k, i)] * x[k];
    x[i] = s / l[IDX(i, i)];
  }
}
