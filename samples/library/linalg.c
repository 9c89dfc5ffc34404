#include "linalg.h"

double dot(int n, const double *x, const double *y) {
  double s = 0.0;
  for (int i = 0; i < n; i++) {
    s += x[i] * y[i];
  }
  return s;
}

double dot_d(int n, const double *x, const double *xd, const double *y, const double *yd, double *value) {
  *value = dot(n, x, y);
  return dot(n, x, yd) + dot(n, xd, y);
}

void dot_b(int n, const double *x, double *xb, const double *y, double *yb, double valueb) {
  for (int i = 0; i < n; i++) {
    xb[i] += y[i] * valueb;
    yb[i] += x[i] * valueb;
  }
}

void gemv(int m, int n, const double *a, const double *x, double *y) {
  for (int i = 0; i < m; i++) {
    y[i] += dot(n, a + n * i, x);
  }
}

void gemv_d(int m, int n, const double *a, const double *ad, const double *x, const double *xd, double *y, double *yd) {
  for (int i = 0; i < m; i++) {
    double value;
    yd[i] += dot_d(n, a + n * i, ad + n * i, x, xd, &value);
    y[i] += value;
  }
}

void gemv_b(int m, int n, const double *a, double *ab, const double *x, double *xb, double *yb) {
  for (int i = 0; i < m; i++) {
    dot_b(n, a + n * i, ab + n * i, x, xb, yb[i]);
  }
}
