//: head rows(rows,a,y)/(a,b,y)
//: result double
//: arg int n = 4
//: arg int m = 3
//: arg rows double a[5][4]
//: arg rows double b[4][3]
//: arg rows double y[4][3]
//: arg rows int k[4][3] = {0,1,2,2,1,0,1,1,0,2,2,1}
//: run m=2
#include <math.h>

/* Pointers to the rows of arrays: passed on whole, one row at a time, element by element. */
static double dot(int n, const double *x, const double *y) {
  double s = 0;
  for (int i = 0; i < n; i++)
    s += x[i] * y[i];
  return s;
}

static double trace(int n, const double *const *a) {
  double s = 0;
  for (int i = 0; i < n; i++)
    s += sin(a[i][i]);
  return s;
}

static void scale(int n, int m, double **y, const double *factors) {
  for (int i = 0; i < n; i++) {
    double *row = y[i];
    for (int j = 0; j < m; j++)
      row[j] *= factors[j];
  }
}

static void step(double *row, int m) {
  while (m-- > 0) {
    *row = exp(-*row);
    row++;
  }
}

/* Rows and columns are counted from 1. */
static double determinant(double **a, int n) {
  double d = 1;
  for (int k = 1; k <= n; k++) {
    for (int i = k + 1; i <= n; i++) {
      double f = a[i][k] / (a[k][k] + 2);
      for (int j = k; j <= n; j++)
        a[i][j] -= f * a[k][j];
    }
    d *= a[k][k] + 2;
  }
  return d;
}

double rows(int n, int m, double **a, double *const *b, double *y[], const int *const *k) {
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      s += b[i][k[i][j] % m] * *y[i] + *(y[i] + j);
  scale(n, m, y, b[1]);
  s += dot(m, y[n - 1], *b) + trace(m, (const double *const *)b);
  step(y[2], m);
  double **p = y;
  for (int i = 0; i < n; i++, p++)
    s += (*p)[0] * (*p)[m - 1];
  return s + determinant(a, m);
}
