//: head matrices(x)/(g,b)
//: arg int n = 4
//: arg double g[16]
//: arg double b[4]
//: arg double x[4]
//: run n=1
//: run n=3
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef double real;

/* Matrices of rows with memory of their own, from helpers and on the spot. */
static double **new_matrix(int n, int m) {
  int i;
  double **a = malloc(n * sizeof *a);
  if (!a)
    exit(1);
  for (i = 0; i < n; i++) {
    a[i] = malloc(m * sizeof **a);
    if (a[i] == NULL) {
      fprintf(stderr, "no memory\n");
      exit(1);
    }
  }
  return a;
}

static real **zeros(int rows, int columns) {
  real **z;
  z = (real **)malloc((size_t)rows * sizeof(real *));
  for (int k = 0; k < rows; k++)
    z[k] = (real *)calloc((size_t)columns, sizeof(real));
  return z;
}

static double *vector(int n) { return malloc(n * sizeof(double)); }

static void free_matrix(double **a, int n) {
  int i;
  for (i = 0; i < n; i++)
    free(a[i]);
  free(a);
}

/* Elements of rows are exchanged, not rows. */
static void solve(double **a, int n, double *x) {
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(a[i][k]) > fabs(a[p][k]))
        p = i;
    for (int j = k; j < n; j++) {
      double t = a[k][j];
      a[k][j] = a[p][j];
      a[p][j] = t;
    }
    double t = x[k];
    x[k] = x[p];
    x[p] = t;
    for (int i = k + 1; i < n; i++) {
      double f = a[i][k] / a[k][k];
      for (int j = k; j < n; j++)
        a[i][j] -= f * a[k][j];
      x[i] -= f * x[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++)
      x[k] -= a[k][j] * x[j];
    x[k] /= a[k][k];
  }
}

static double norm(const double *v, int n) {
  double s = 0;
  for (int i = 0; i < n; i++)
    s += v[i] * v[i];
  return s;
}

void matrices(int n, const double *g, const double *b, double *x) {
  int i;
  double **a = new_matrix(n, n), **z = zeros(n + 1, n);
  double **h;
  h = malloc(sizeof(double *) * n);
  if (!h)
    abort();
  for (i = 0; i < n; i++)
    h[i] = vector(n + 1);
  for (i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      a[i][j] = sin(g[i * n + j]) + (i == j);
      h[i][j + 1] = a[i][j] * b[j];
      z[i + 1][j] += h[i][j + 1] * h[i][1];
    }
  for (i = 0; i < n; i++)
    x[i] = b[i] * (1 + norm(z[i + 1], n));
  solve(a, n, x);
  for (i = 0; i < n; i++)
    free(h[i]);
  free(h);
  free_matrix(z, n + 1);
  free_matrix(a, n);
}
