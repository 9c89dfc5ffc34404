//: head records_in_order(f)/(x,c)
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
/* Stencils over time whose adjoints read records: explicit ones that can take their rounds in any order, in both directions, with an unsigned index; and ones that
   read what the round before has set. */
#include <stdlib.h>
double records_in_order(int n, int nt, const double x[restrict n], const double c[restrict 2]) {
  double *u = malloc(n * sizeof *u), *v = malloc(n * sizeof *v), *w = malloc(n * sizeof *w), s = 0;
  for (int i = 0; i < n; i++) {
    u[i] = x[i];
    v[i] = 0.0;
    w[i] = 1.0 + x[i];
  }
  for (int t = 0; t < nt; t++) {
    for (int i = 1; i < n - 1; i++)
      v[i] = u[i] - c[0] * u[i] * (u[i] - u[i - 1]) + c[1] * (u[i + 1] - 2.0 * u[i] + u[i - 1]);
    for (int i = 1; i < n - 1; i++)
      u[i] = v[i];
    for (int i = n - 2; i >= 1; i--)
      v[i] = w[i] - 0.2 * w[i] * (w[i] - w[i - 1]) + 0.1 * (w[i + 1] * u[i + 1] - 2.0 * w[i] + w[i - 1]);
    for (int i = n - 2; i >= 1; i--)
      w[i] = v[i];
    for (unsigned i = 1; i + 1 < (unsigned)n; i++)
      v[i] = u[i] * u[i - 1] - 0.3 * u[i] * u[i + 1];
    for (unsigned i = 1; i + 1 < (unsigned)n; i++)
      u[i] = 0.5 * v[i];
    for (int i = 1; i < n - 1; i++)
      w[i] = 0.5 * w[i] + 0.2 * w[i - 1] * w[i] - 0.1 * w[i + 1] * u[i - 1];
  }
  for (int i = 0; i < n; i++)
    s += u[i] * u[i] + w[i];
  free(u);
  free(v);
  free(w);
  return s;
}
