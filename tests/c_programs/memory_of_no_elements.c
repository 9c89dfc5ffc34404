//: head memory_of_no_elements(x)/(a,b)
//: arg int n = 3
//: arg double a[9]
//: arg double b[3]
//: arg out double x[3]

#include <stdio.h>
#include <stdlib.h>

static void no_elements_stop(const char *format, ...) {
  fputs(format, stderr);
  exit(1);
}

/* Memory for n times m numbers; null where there are none. */
static double *no_elements_matrix(int n, int m) {
  double *p;
  if (n <= 0 || m <= 0) return NULL;
  if (!(p = (double *)malloc(sizeof(double) * n * m))) {
    no_elements_stop("no memory");
  }
  return p;
}

static double *no_elements_zeros(int n) {
  double *p;
  if (n < 1) {
    return NULL;
  }
  if ((p = (double *)calloc(sizeof(double), n)) == NULL) no_elements_stop("no memory");
  return p;
}

/* y += a * x, or with "T" the transposed matrix; the sum of y where there is a place for it. */
static void no_elements_times(const char *how, int n, const double *a, const double *x, double *y, double *sum) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) y[i] += (how[0] == 'T' ? a[k * n + i] : a[i * n + k]) * x[k];
  if (sum) {
    *sum = 0.0;
    for (int i = 0; i < n; i++) *sum += y[i];
  }
}

void memory_of_no_elements(int n, const double *a, const double *b, double *x) {
  double *c = no_elements_matrix(n, n), *t = no_elements_zeros(n), sum;
  for (int i = 0; i < n * n; i++) c[i] = a[i] * a[i];
  no_elements_times("N", n, c, b, t, &sum);
  for (int i = 0; i < n; i++) x[i] = sum;
  no_elements_times("T", n, c, t, x, (double *)NULL);
  free(c);
  free(t);
}
