//: head exchanged_ends(exchanged_ends)/(x,c)
//: result double
//: arg int n = 9
//: arg int nt = 3
//: arg double x[9]
//: arg double c[2]
//: run n=1
//: run n=2
//: run n=3
//: run n=4
//: run n=5
//: run nt=0
//: run nt=1
//: run nt=4
/* Copies of all but a few elements at the ends, from arrays whose own ends nobody reads: the forward sweep exchanges the arrays and sets the target's
   ends from the other one. At both ends, at the end only, at the start only. */
#include <stdlib.h>
double exchanged_ends(int n, int nt, const double x[restrict n], const double c[restrict 2]) {
  double *u = malloc(n * sizeof *u), *v = malloc(n * sizeof *v);
  double *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b);
  double *p = malloc(n * sizeof *p), *q = malloc(n * sizeof *q);
  double s = 0;
  for (int i = 0; i < n; i++) {
    u[i] = x[i];
    a[i] = 0.5 * x[i] + 1.0;
    p[i] = 1.0 - x[i] * x[i];
  }
  for (int t = 0; t < nt; t++) {
    for (int i = 1; i < n - 1; i++)
      v[i] = u[i] - c[0] * u[i] * (u[i] - u[i - 1]) + c[1] * (u[i + 1] - 2 * u[i]);
    for (int i = 1; i < n - 1; i++)
      u[i] = v[i];
    for (int i = 2; i < n; i++)
      b[i] = a[i] * a[i - 1] - c[1] * a[i - 2];
    for (int i = 2; i < n; i++)
      a[i] = b[i];
    for (int i = 0; i < n - 3; i++)
      q[i] = p[i] * (c[0] + p[i + 3]);
    for (int i = 0; i < n - 3; i++)
      p[i] = q[i];
  }
  for (int i = 0; i < n; i++)
    s += u[i] * u[i] + a[i] * p[i];
  free(u);
  free(v);
  free(a);
  free(b);
  free(p);
  free(q);
  return s;
}
