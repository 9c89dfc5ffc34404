//: head work_anew(work_anew)/(x)
//: result double
//: arg int n = 6
//: arg int nt = 3
//: arg double x[6]
//: run n=2
//: run n=3
//: run nt=0
#include <stdlib.h>
double work_anew(int n, int nt, const double x[n]) {
  double *u = malloc(n * sizeof *u), *a = malloc(n * sizeof *a), s = 0;
  for (int i = 0; i < n; i++) { u[i] = x[i]; a[i] = 0; }
  for (int t = 0; t < nt; t++) {
    for (int i = 0; i < n; i++) a[i] = 0.0;
    for (int i = 0; i < n - 1; i++) { a[i] += u[i] * u[i + 1]; a[i + 1] += u[i] * 0.3; }
    for (int i = 0; i < n; i++) u[i] = a[i] * 0.7 + u[i] * 0.1;
    for (int j = 0; j < 2; j++) {
      for (int i = j; i < n; i++) u[i] = u[i] * u[i] * 0.5;
      a[j] = u[j] * u[j];
    }
    s += a[0] * a[1];
  }
  for (int i = 0; i < n; i++) s += u[i] * a[i];
  free(u); free(a);
  return s;
}
