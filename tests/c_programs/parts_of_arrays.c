//: head parts_of_arrays(x,a)/(x,a)
//: arg int n = 6
//: arg double x[6]
//: arg int m = 3
//: arg int l = 4
//: arg double a[12]
// Functions that write one element of an array, the same one again, one of a row, and one whose index they count up.
#include <math.h>

static void scaled(int k, double *v, double s) {
  v[k] *= s;
  if (s > 0.5)
    v[k] = sin(v[k]);
  v[k] += v[k] * v[k];
}

static void next(int *k, double *v) {
  v[*k] = v[*k] * v[*k];
  ++*k;
}

static void shifted(int k, double *v) {
  k++;
  v[k] = v[k] * v[k - 1];
}

static void one(int m, int n, double a[m][n], int i, int j) {
  a[i][j] = a[i][j] * a[i][0] + cos(a[i][j]);
}

void parts_of_arrays(int n, double *x, int m, int l, double a[m][l]) {
  int k = 1;
  for (int i = 2; i < n; i++) {
    scaled(i, x, x[0]);
    scaled(i - 1, x, x[i]);
  }
  for (int i = 0; i < 3; i++)
    next(&k, x);
  for (int i = 0; i < n - 1; i++)
    shifted(i, x);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < l; j++)
      one(m, l, a, i, j);
}
