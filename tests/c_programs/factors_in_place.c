//: head factors_in_place(factors_in_place)/(a,s,b)
//: result double
//: arg int n = 5
//: arg double a[25]
//: arg double s[25]
//: arg double b[5]
//: run n=1
//: run n=4
#include <math.h>
#include <stdlib.h>
/* Factors over the matrices themselves: what is overwritten on the way, the adjoint never reads. */
static double lower(int n, double m[restrict n][n]) {
  double d = 0;
  for (int j = 0; j < n; j++) {
    for (int k = 0; k < j; k++)
      m[j][j] -= m[j][k] * m[j][k];
    m[j][j] = sqrt(m[j][j]);
    d += log(m[j][j]);
    for (int i = j + 1; i < n; i++) {
      for (int k = 0; k < j; k++)
        m[i][j] -= m[i][k] * m[j][k];
      m[i][j] /= m[j][j];
    }
  }
  return d;
}
double factors_in_place(int n, const double *restrict a, const double *restrict s, const double *restrict b) {
  double *lu = malloc(n * n * sizeof(double)), *x = malloc(n * sizeof(double));
  double (*m)[n] = malloc(sizeof(double[n][n]));
  for (int i = 0; i < n * n; i++)
    lu[i] = a[i] + (i % (n + 1) == 0 ? 3.0 : 0.0);
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++) {
      lu[i * n + k] /= lu[k * n + k];
      for (int j = k + 1; j < n; j++)
        lu[i * n + j] -= lu[i * n + k] * lu[k * n + j];
    }
  for (int i = 0; i < n; i++) {
    x[i] = b[i];
    for (int j = 0; j < i; j++)
      x[i] -= lu[i * n + j] * x[j];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++)
      x[i] -= lu[i * n + j] * x[j];
    x[i] /= lu[i * n + i];
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      m[i][j] = s[i * n + j] + s[j * n + i] + (i == j ? 9.0 : 0.0);
  double sum = lower(n, m);
  for (int i = 0; i < n; i++)
    sum += x[i] * x[i] + m[n - 1][i] * i;
  free(lu);
  free(x);
  free(m);
  return sum;
}
