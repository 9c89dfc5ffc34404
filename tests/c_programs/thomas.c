//: head thomas(d)/(a,b,c,d)
//: arg int n = 5
//: arg double a[5]
//: arg double b[5] = 3:4
//: arg double c[5]
//: arg double d[5]
//: run n=1
#include <stdlib.h>
#include <assert.h>
void thomas(int n, const double *a, const double *b, const double *c, double *d) {
  double *cp = malloc(n * sizeof(double));
  assert(cp);
  cp[0] = c[0] / b[0];
  d[0] /= b[0];
  for (int i = 1; i < n; i++) {
    double m = 1.0 / (b[i] - a[i] * cp[i - 1]);
    cp[i] = c[i] * m;
    d[i] = (d[i] - a[i] * d[i - 1]) * m;
  }
  for (int i = n - 2; i >= 0; i--)
    d[i] -= cp[i] * d[i + 1];
  free(cp);
}
