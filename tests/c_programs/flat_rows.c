//: head flat_rows(y)/(x,a)
//: arg int n = 3
//: arg double x[4]
//: arg double a[12]
//: arg out double y[3]
#include <string.h>
static double total(int n, const double *v) {
  double s = 0;
  for (int i = 0; i < n; i++)
    s += v[i] * v[i];
  return s;
}
static double columns(int n, double (*m)[n]) {
  double s = 0;
  double *col = &m[0][1];
  for (int i = 0; i < 4; i++) {
    s += *col * *col * (i + 1);
    col += n;
  }
  return s;
}
void flat_rows(int n, const double *x, const double *a, double *y) {
  double t[2][2], w[4][n], c[2][2][3];
  /* one pointer for all of a matrix */
  double *p = &t[0][0];
  for (int i = 0; i < 4; i++)
    p[i] = x[i] * (i + 1);
  /* one that walks, over rows whose length is an argument */
  double *q = w[0];
  for (int i = 0; i < 4 * n; i++)
    *q++ = a[i] * x[i / n];
  /* three dimensions */
  double *r = **c;
  memset(r, 0, 12 * sizeof(double));
  for (int i = 0; i < 12; i++)
    r[i] += a[i] * x[i % 4];
  /* pointers to rows stay pointers to rows */
  double s = 0;
  for (int i = 0; i < 4; i++) {
    double *row = w[i];
    for (int j = 0; j < n; j++)
      s += row[j] * row[j];
  }
  double *first = w[0];
  for (int j = 0; j < n; j++)
    s += first[j] * x[1];
  y[0] = t[1][0] * t[1][1] + t[0][1] * s;
  y[1] = columns(n, w) + total(4, &t[0][0]) + *(p + 2) * p[3];
  y[2] = c[1][1][2] * c[0][1][0] + c[1][0][1];
}
