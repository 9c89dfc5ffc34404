//: head upward(upward)/(x)
//: result double
//: arg int n = 9
//: arg int nt = 3
//: arg double x[9]
//: arg double c[2]
//: run n=1
//: run n=2
//: run n=3
//: run n=4
//: run nt=0
/* Stencils over time: explicit ones whose adjoints can take their rounds in any order, in both directions, and with an unsigned index; those that
   read what another round sets, a shift in place, and rounds with a scalar of their own. */
#include <math.h>
#include <stdlib.h>
double upward(int n, int nt, const double x[restrict n], const double c[restrict 2]) {
  double *u = malloc(n * sizeof *u), *v = malloc(n * sizeof *v), *w = malloc(n * sizeof *w), *z = malloc(n * sizeof *z), *g = malloc(n * sizeof *g);
  double s = 0;
  unsigned m = n > 2 ? n - 1 : 1;
  for (int i = 0; i < n; i++) {
    u[i] = x[i];
    v[i] = 0.0;
    w[i] = 1.0 + x[i];
    z[i] = x[i] * x[i];
    g[i] = 0.5 * x[i];
  }
  for (int t = 0; t < nt; t++) {
    for (int i = 1; i < n - 1; i++)
      v[i] = u[i] - c[0] * u[i] * (u[i] - u[i - 1]) + c[1] * (u[i + 1] - 2.0 * u[i] + u[i - 1]);
    for (int i = 1; i < n - 1; i++)
      u[i] = v[i];
    for (int i = n - 2; i >= 1; i--)
      v[i] = w[i] - 0.2 * w[i] * (w[i] - w[i - 1]) + 0.1 * (w[i + 1] - 2.0 * w[i] + w[i - 1]);
    for (int i = n - 2; i >= 1; i--)
      w[i] = v[i];
    for (unsigned i = 1; i < m; i++)
      v[i] = z[i] * z[i - 1] - 0.3 * z[i] * z[i + 1];
    for (unsigned i = 1; i < m; i++)
      z[i] = v[i];
    for (int i = 1; i < n - 1; i++)
      g[i] = 0.5 * g[i] + 0.2 * g[i - 1] * g[i] - 0.1 * g[i + 1] * g[i - 1];
    for (int i = 0; i < n - 1; i++)
      z[i] = c[0] * z[i + 1];
    for (int i = 0; i < n; i++) {
      double q = w[i] * u[i];
      w[i] = q * sin(q) - 0.1 * q;
      g[i] += q * c[1];
    }
  }
  for (int i = 0; i < n; i++)
    s += u[i] * u[i] + w[i] + z[i] * g[i];
  free(u);
  free(v);
  free(w);
  free(z);
  free(g);
  return s;
}
