//: head jump_and_free(jump_and_free,u)/(b,u)
//: result double
//: arg int n = 5
//: arg double b[5]
//: arg double u[5]
//: run n=4
/* A jump back, and one to the end, in a function that allocates. */
#include <stdlib.h>
#include <math.h>
static double curve(double x) { return x * sin(0.7 * x); }
double jump_and_free(int n, const double *restrict b, double *restrict u) {
  double *r = malloc(n * sizeof *r);
  double e, q = 0.0;
  int k = 0;
again:
  e = 0.0;
  for (int i = 1; i < n - 1; i++) {
    r[i] = b[i] + 0.25 * (u[i - 1] + u[i + 1]) * curve(u[i]) - u[i];
    u[i] += 0.9 * r[i];
    e += r[i] * r[i];
  }
  if (e > 1e3)
    goto fail;
  if (e > 1e-6 && ++k < 8)
    goto again;
  for (int i = 0; i < n; i++)
    q += u[i] * u[i];
  free(r);
  return q;
fail:
  q = -e;
  free(r);
  return q;
}
