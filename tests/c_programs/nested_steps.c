//: head nested_steps(nested_steps)/(x)
//: result double
//: arg int n = 7
//: arg int nt = 3
//: arg int nr = 3
//: arg double x[7]
//: run n=3
//: run n=4
//: run nt=0
//: run nr=0
/* Steps in time inside of another loop whose iterations set the state anew, as a whole and in a part that shrinks; what they leave is read behind. */
#include <stdlib.h>
#include <math.h>
double nested_steps(int n, int nt, int nr, const double x[restrict n]) {
  double *u = malloc(n * sizeof *u), *v = malloc(n * sizeof *v);
  double s = 0;
  double *w = malloc(n * sizeof *w);
  int m = n - 2;
  for (int i = 0; i < n; i++) { u[i] = x[i]; v[i] = 0.0; w[i] = 1.0; }
  for (int r = 0; r < nr; r++) {
    for (int i = 0; i < m; i++)
      u[i] = x[i] * (1.0 + 0.1 * r);
    for (int t = 0; t < nt; t++) {
      for (int i = 1; i < n - 1; i++)
        v[i] = u[i] * u[i + 1] - 0.3 * u[i - 1];
      for (int i = 1; i < n - 1; i++)
        u[i] = sin(v[i]);
    }
    m = m > 2 ? m - 1 : m;
    s += v[2];
    for (int i = 0; i < n; i++)
      w[i] = x[i] * (0.5 + 0.1 * r);
    for (int t = 0; t < nt; t++) {
      for (int i = 1; i < n - 1; i++)
        v[i] = w[i] * w[i + 1] - 0.3 * w[i - 1];
      for (int i = 1; i < n - 1; i++)
        w[i] = v[i];
    }
  }
  for (int i = 0; i < n; i++)
    s += u[i] * u[i] + w[i] * x[i];
  free(u);
  free(v);
  free(w);
  return s;
}
