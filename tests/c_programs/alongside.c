//: head alongside(alongside)/(x)
//: result double
//: arg int n = 9
//: arg int nt = 3
//: arg double x[9]
//: run n=1
//: run n=2
//: run n=3
//: run n=4
//: run nt=0
/* Steps in time that overwrite their state in a loop of its own, right behind one that reads it: with the same iterations and others, where the loop before changes the
   state or the element, where iterations overwrite what others still have to record, and where the second loop's bound is set by the first. */
#include <math.h>
#include <stdlib.h>
double alongside(int n, int nt, const double x[restrict n]) {
  double *u = malloc(n * sizeof *u), *v = malloc(n * sizeof *v), *w = malloc(n * sizeof *w), *z = malloc(n * sizeof *z), *g = malloc(n * sizeof *g);
  double s = 0;
  for (int i = 0; i < n; i++) {
    u[i] = x[i];
    v[i] = 0.0;
    w[i] = 1.0 + x[i];
    z[i] = x[i] * x[i];
    g[i] = 0.5 * x[i];
  }
  for (int t = 0; t < nt; t++) {
    /* A step. */
    for (int i = 1; i < n - 1; i++)
      v[i] = u[i] * u[i + 1] - 0.3 * u[i - 1];
    /* Its end. */
    for (int i = 1; i < n - 1; i++)
      u[i] = sin(v[i]);
    /* Other iterations. */
    for (int i = 0; i < n - 1; i++)
      v[i] = w[i] * w[i + 1];
    for (int i = 1; i < n - 1; i++)
      w[i] = v[i] * v[i - 1];
    /* The element that the next round records is set. */
    for (int i = 0; i < n - 1; i++)
      v[i] = z[i] * z[i + 1];
    for (int i = 0; i < n - 1; i++) {
      z[i] = cos(v[i]) * z[i];
      z[i + 1] = z[i] * v[i];
    }
    /* The first loop changes what the second one records. */
    for (int i = 1; i < n; i++) {
      g[i] = 0.9 * g[i] + 0.1 * u[i];
      v[i] = g[i] * g[i - 1];
    }
    for (int i = 1; i < n; i++)
      g[i] = v[i] * g[i];
    /* Both at once. */
    for (int i = 0; i < n; i++) {
      v[i] = u[i] * w[i];
      s += u[i] * z[i];
    }
    for (int i = 0; i < n; i++) {
      u[i] = v[i] * 0.5 + 0.2 * u[i] * u[i];
      w[i] = exp(-0.1 * w[i]) * v[i];
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
