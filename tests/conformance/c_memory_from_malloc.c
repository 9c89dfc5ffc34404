// memory from `malloc`
// f/(x)
#include <stdlib.h>
double f(int n, const double *x) {
  double *w = malloc(n * sizeof *w), s = 0.0;
  for (int i = 0; i < n; i++)
    w[i] = x[i] * x[i];
  for (int i = 0; i < n; i++)
    s += w[i] * x[0];
  free(w);
  return s;
}
