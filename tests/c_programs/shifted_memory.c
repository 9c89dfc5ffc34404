//: head shifted_memory(y)/(a,b)
//: arg int n = 3
//: arg double a[9]
//: arg double b[3]
//: arg out double y[3]
#include <stdio.h>
#include <stdlib.h>
#define FRONT 1
/* What is freed is the start of memory again, which some compilers do not see. */
#pragma GCC diagnostic ignored "-Wfree-nonheap-object"
/* Vectors and matrices whose first index is 1, or 0 where that is asked for: shifted memory, a block with row pointers, rows one by one. */
static void shifted_error(const char *what) {
  fprintf(stderr, "%s\n", what);
  exit(1);
}

static double *shifted_vector(long nl, long nh) {
  double *v;
  v = (double *)malloc((size_t)((nh - nl + 1 + FRONT) * sizeof(double)));
  if (!v)
    shifted_error("no memory for a vector");
  return v - nl + FRONT;
}

static void shifted_free_vector(double *v, long nl, long nh) {
  (void)nh;
  free((char *)(v + nl - FRONT));
}

static double **shifted_matrix(long nrl, long nrh, long ncl, long nch) {
  long i, nrow = nrh - nrl + 1, ncol = nch - ncl + 1;
  double **m;
  m = (double **)malloc((size_t)((nrow + FRONT) * sizeof(double *)));
  if (!m)
    shifted_error("no memory for rows");
  m += FRONT;
  m -= nrl;
  m[nrl] = (double *)malloc((size_t)((nrow * ncol + FRONT) * sizeof(double)));
  if (!m[nrl])
    shifted_error("no memory for a matrix");
  m[nrl] += FRONT;
  m[nrl] -= ncl;
  for (i = nrl + 1; i <= nrh; i++)
    m[i] = m[i - 1] + ncol;
  return m;
}

static void shifted_free_matrix(double **m, long nrl, long nrh, long ncl, long nch) {
  (void)nrh;
  (void)nch;
  free((char *)(m[nrl] + ncl - FRONT));
  free((char *)(m + nrl - FRONT));
}

static double **shifted_rows(int nrl, int nrh, int ncl, int nch) {
  int i;
  double **m = (double **)malloc((unsigned)(nrh - nrl + 1) * sizeof(double *));
  if (!m)
    shifted_error("no memory for rows");
  m -= nrl;
  for (i = nrl; i <= nrh; i++) {
    m[i] = (double *)malloc((unsigned)(nch - ncl + 1) * sizeof(double));
    if (!m[i])
      shifted_error("no memory for a row");
    m[i] -= ncl;
  }
  return m;
}

static void shifted_free_rows(double **m, int nrl, int nrh, int ncl, int nch) {
  int i;
  (void)nch;
  for (i = nrh; i >= nrl; i--)
    free((char *)(m[i] + ncl));
  free((char *)(m + nrl));
}

/* From 1 on, without an exchange of rows. */
static void shifted_solve(double **a, int n, double b[]) {
  int i, j, k;
  for (k = 1; k <= n; k++)
    for (i = k + 1; i <= n; i++) {
      double f = a[i][k] / a[k][k];
      for (j = k; j <= n; j++)
        a[i][j] -= f * a[k][j];
      b[i] -= f * b[k];
    }
  for (i = n; i >= 1; i--) {
    for (j = i + 1; j <= n; j++)
      b[i] -= a[i][j] * b[j];
    b[i] /= a[i][i];
  }
}

void shifted_memory(int n, const double *a, const double *b, double *y) {
  int i, j;
  double **m = shifted_matrix(1, n, 1, n), **t = shifted_rows(1, n, 1, n);
  double *r = shifted_vector(1, n), *z = shifted_vector(0, n - 1);
  for (i = 1; i <= n; i++) {
    r[i] = b[i - 1] * b[i - 1];
    for (j = 1; j <= n; j++) {
      t[i][j] = a[(i - 1) * n + j - 1];
      m[i][j] = t[i][j] * t[i][j] + (i == j ? 3.0 : 0.0);
    }
  }
  shifted_solve(m, n, r);
  for (i = 0; i < n; i++)
    z[i] = r[i + 1] * t[i + 1][1];
  for (i = 0; i < n; i++)
    y[i] = z[i] * z[n - 1 - i];
  shifted_free_vector(z, 0, n - 1);
  shifted_free_vector(r, 1, n);
  shifted_free_rows(t, 1, n, 1, n);
  shifted_free_matrix(m, 1, n, 1, n);
}
