//: head exchanged(exchanged)/(x)
//: result double
//: arg int n = 9
//: arg int m = 3
//: arg int nt = 3
//: arg double x[9]
//: arg double c[2]
//: run n=1
//: run n=2
//: run n=3
//: run n=4
//: run nt=0
//: run nt=1
//: run nt=4
/* Work arrays that are copied, or that change places, in each step: copies of all elements and of all but a few at the ends, in both directions; from an
   array that is read again, in the next round, behind the loop, or in one branch only; of parts that are not all but a few; exchanges that are
   recorded; three arrays in turn; arrays with rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
double exchanged(int n, int m, int nt, const double x[restrict n], const double c[restrict 2]) {
  double *u = malloc(n * sizeof *u), *v = malloc(n * sizeof *v), *w = malloc(n * sizeof *w);
  double *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b);
  double *p = malloc(n * sizeof *p), *q = malloc(n * sizeof *q), *r = malloc(n * sizeof *r);
  double(*g)[m] = malloc(n * sizeof *g), (*h)[m] = malloc(n * sizeof *h);
  double *longer = malloc((n + 3) * sizeof *longer);
  double s = 0;
  for (int i = 0; i < n; i++) {
    u[i] = x[i];
    v[i] = 0.5 * x[i];
    w[i] = 1.0 - x[i];
    a[i] = x[i] * x[i];
    b[i] = 0.1 + x[i];
    p[i] = x[i];
    q[i] = 0.9 * x[i];
    r[i] = 0.8 * x[i];
    longer[i + 3] = x[i] + 1.0;
    for (int k = 0; k < m; k++) {
      g[i][k] = x[i] * (k + 1);
      h[i][k] = 0.0;
    }
  }
  longer[0] = longer[1] = longer[2] = 0.25;
  for (int t = 0; t < nt; t++) {
    /* All but the ends. */
    for (int i = 1; i < n - 1; i++)
      v[i] = u[i] - c[0] * u[i] * (u[i] - u[i - 1]) + c[1] * u[i + 1];
    for (int i = 1; i < n - 1; i++)
      u[i] = v[i];
    /* Of the other array one end is read later. */
    for (int i = n - 1; i >= 2; i--)
      b[i] = a[i] * a[i - 1] - c[1] * a[i - 2];
    for (int i = n - 1; i >= 2; i--)
      a[i] = b[i];
    if (n > 1)
      b[0] = 0.3 * b[0] + a[1] * b[1];
    /* Read again behind the copy, in one branch. */
    for (int i = 0; i < n; i++)
      w[i] = sin(w[i]) + 0.1 * u[i];
    for (int i = 0; i < n; i++)
      v[i] = w[i];
    if (t % 2 == 1)
      for (int i = 0; i < n; i++)
        u[i] += 0.01 * w[i] * w[i];
    /* Set again in both branches. */
    if (c[0] > 0.2 && t != 1)
      for (int i = 0; i < n; i++)
        w[i] = u[i] * v[i];
    else
      for (int i = 0; i < n; i++)
        w[i] = cos(v[i]);
    /* Of another length. */
    for (int i = 0; i < n; i++)
      longer[i + 1] = longer[i + 3] * u[i];
    for (int i = 1; i < n; i++)
      u[i] = longer[i];
    /* Whole arrays at once. */
    for (int i = 0; i < n; i++)
      q[i] = p[i] * p[i] + 0.1 * r[i] * p[i];
    double *kept = p;
    p = q;
    q = r;
    r = kept;
    for (int i = 0; i < n; i++)
      for (int k = 0; k < m; k++)
        h[i][k] = g[i][k] * g[i][(k + 1) % m] - 0.2 * u[i];
    double(*rows)[m] = g;
    g = h;
    h = rows;
  }
  /* The last copy's source is read behind the loop. */
  for (int i = 0; i < n; i++)
    s += u[i] * u[i] + w[i] * v[i] + a[i] - b[i] * p[i] + q[i] * r[i] + longer[i];
  for (int i = 0; i < n; i++)
    for (int k = 0; k < m; k++)
      s += g[i][k] * (k + 1) - 0.5 * h[i][k];
  memcpy(q, p, n * sizeof *q);
  for (int i = 0; i < n; i++)
    s += q[i] * q[i];
  free(u);
  free(v);
  free(w);
  free(a);
  free(b);
  free(p);
  free(q);
  free(r);
  free(g);
  free(h);
  free(longer);
  return s;
}
