//: head cg(x)/(a,b)
//: arg int n = 3
//: arg double a[9]
//: arg double b[3]
//: arg out double x[3]
//: tolerance 1e-7
#include <stdlib.h>
static void apply(int n, const double *a, const double *v, double *out) {
  for (int i = 0; i < n; i++) {
    const double *row = a + i * n;
    out[i] = (n + 1) * v[i];
    for (int j = 0; j < n; j++)
      out[i] += 0.5 * (row[j] + a[j * n + i]) * v[j];
  }
}
static inline double dot(int n, const double *u, const double *v) {
  double s = 0;
  while (n-- > 0)
    s += u[n] * v[n];
  return s;
}
void cg(int n, const double *a, const double *b, double *x) {
  double *work = calloc(3 * (size_t)n, sizeof *work);
  double *r = work, *p = work + n, *ap = work + 2 * n;
  for (int i = 0; i < n; i++) {
    x[i] = 0;
    r[i] = p[i] = b[i];
  }
  double rr = dot(n, r, r);
  for (int it = 0; it < n - 1 && rr > 1e-20; it++) {
    apply(n, a, p, ap);
    const double alpha = rr / dot(n, p, ap);
    for (int i = 0; i < n; i++) {
      x[i] += alpha * p[i];
      r[i] -= alpha * ap[i];
    }
    double fresh = dot(n, r, r);
    for (int i = 0; i < n; i++)
      p[i] = r[i] + fresh / rr * p[i];
    rr = fresh;
  }
  free(work);
}
