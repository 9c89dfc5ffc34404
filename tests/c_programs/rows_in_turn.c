//: head rows_in_turn(rows_in_turn)/(x)
//: result double
//: arg int n = 4
//: arg int steps = 3
//: arg double x[5]
//: run steps=0
//: run n=1
#include <stdlib.h>

/* Matrices that change their names, are made again in each iteration, or may be absent. */
static void step(int n, double **u, double **v, double **forces) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      v[i][j] = u[i][j] * u[j][i] + 0.1 * u[i][j];
      if (forces)
        v[i][j] += forces[i][j + 1];
    }
}

static double last(double **a, int n) {
  if (n == 1)
    return a[0][0];
  double *row = a[n - 1], **next = a + 1;
  return row[n - 1] * last(a, n - 1) + next[n - 2][0];
}

double rows_in_turn(int n, int steps, const double *x) {
  double s = 0, **u = malloc(n * sizeof *u), **v = malloc(n * sizeof(double *));
  for (int i = 0; i < n; i++)
    u[i] = malloc(n * sizeof **u);
  for (int i = n - 1; i >= 0; --i) {
    v[i] = calloc(n, sizeof(double));
    if (!v[i])
      exit(1);
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      u[i][j] = x[i] + 0.1 * j;
  for (int k = 0; k < steps; k++) {
    double **w = calloc(n, sizeof *w);
    if (w == NULL)
      return 0;
    for (int i = 0; i < n; i++)
      w[i] = calloc(n + 1, sizeof **w);
    for (int i = 0; i < n; i++)
      w[i][i] = x[i] * u[i][0];
    if (k == 1)
      step(n, u, v, NULL);
    else
      step(n, u, v, w);
    for (int i = 0; i < n; i++)
      free(w[i]);
    free(w);
    double **t = u;
    u = v;
    v = t;
  }
  for (int i = 0; i < n; i++)
    s += u[i][n - 1 - i];
  s += last(u, n);
  for (int i = 0; i < n; i++) {
    free(u[i]);
    free(v[i]);
  }
  free(u);
  free(v);
  return s;
}
