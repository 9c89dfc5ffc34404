//: head returned_pointers(returned_pointers,a)/(a,b)
//: result double
//: arg int n = 3
//: arg double a[12]
//: arg rows double b[3][4]
//: run n=2
#include <math.h>

/* Functions that only say where something is. */
static double *row(double *a, int i, int n) { return a + i * n; }

static inline const double *element(const double *const *b, long i, int j) { return &b[i][j]; }

static double *line(double **b, int i) { return b[i]; }

/* These return numbers. */
static double get(const double *a, int i) { return a[i]; }

static double corner(double **b) { return **b; }

static double dot(int n, const double *x, const double *y) {
  double s = 0;
  for (int i = 0; i < n; i++)
    s += x[i] * y[i];
  return s;
}

static void halve(double *x, int n) {
  for (int i = 0; i < n; i++)
    x[i] *= 0.5;
}

double returned_pointers(int n, double *a, double **b) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    double *r = row(a, i, n);
    const double *q = line(b, i);
    for (int j = 0; j < n; j++) {
      r[j] += sin(*element((const double *const *)b, i, j));
      row(a, i + 1, n)[j] *= q[j + 1];
    }
    s += *row(a, i, n) * dot(n, row(a, i, n), line(b, i));
  }
  double *end = row(a, n, n);
  while (end-- > a)
    s += *end * *end;
  halve(row(a, 1, n), n);
  return s + get(a, n) * corner(b);
}
