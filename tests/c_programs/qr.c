//: head qr(x)/(a,b)
//: arg double a[12]
//: arg double b[4]
//: arg out double x[3]
/* Least squares by Householder reflections. */
#include <math.h>
#include <string.h>
#define M 4
#define N 3
void qr(const double a[M][N], const double b[M], double x[N]) {
  double r[M][N], q[M], v[M];
  memcpy(r, a, sizeof r);
  for (int i = 0; i < M; ++i) q[i] = b[i];
  for (int k = 0; k < N; ++k) {
    double norm = 0.0;
    for (int i = k; i < M; ++i) norm += r[i][k] * r[i][k];
    norm = r[k][k] > 0 ? -sqrt(norm) : sqrt(norm);
    double vv = 0;
    for (int i = k; i < M; ++i) {
      v[i] = r[i][k] - (i == k ? norm : 0.0);
      vv += v[i] * v[i];
    }
    if (vv == 0.0) continue;
    for (int j = k; j < N; ++j) {
      double s = 0;
      for (int i = k; i < M; ++i) s += v[i] * r[i][j];
      s *= 2 / vv;
      for (int i = k; i < M; ++i) r[i][j] -= s * v[i];
    }
    double s = 0;
    for (int i = k; i < M; ++i) s += v[i] * q[i];
    s *= 2 / vv;
    for (int i = k; i < M; ++i) q[i] -= s * v[i];
  }
  for (int k = N - 1; k >= 0; --k) {
    x[k] = q[k];
    for (int j = k + 1; j < N; ++j) x[k] -= r[k][j] * x[j];
    x[k] /= r[k][k];
  }
}
