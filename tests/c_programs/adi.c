//: head adi(u)/(u,k)
//: arg int n = 4
//: arg double u[16]
//: arg double k
//: run n=3
/* Thomas solves along rows and columns. */
#include <stdlib.h>
static void tridiag(int n, double a, double b, double c, double *restrict d, double *restrict w) {
  double beta = b;
  d[0] /= beta;
  for (int i = 1; i < n; i++) {
    w[i] = c / beta;
    beta = b - a * w[i];
    d[i] = (d[i] - a * d[i - 1]) / beta;
  }
  for (int i = n - 2; i >= 0; --i)
    d[i] -= w[i + 1] * d[i + 1];
}
void adi(int n, double u[n][n], double k) {
  double *w = malloc(sizeof(double) * n), *col = malloc(sizeof(double) * n);
  double (*old)[n] = malloc(sizeof(double[n][n]));
  if (!w || !col || !old) { free(w); free(col); free(old); return; }
  for (int sweep = 0; sweep < 2; ++sweep) {
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        old[i][j] = u[i][j] * u[i][j];
    for (int i = 0; i < n; ++i) tridiag(n, -k, 1 + 2 * k, -k, u[i], w);
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) col[i] = u[i][j] + 0.1 * old[j][i];
      tridiag(n, -k, 1 + 2 * k, -k, col, w);
      for (int i = 0; i < n; ++i) u[i][j] = col[i];
    }
  }
  free(old); free(col); free(w);
}
