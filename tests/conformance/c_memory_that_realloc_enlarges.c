// memory that `realloc` enlarges
// f/(x)
#include <stdlib.h>
double f(int n, const double *x) {
  double *w = malloc(n * sizeof *w), s = 0.0;
  w = realloc(w, 2 * n * sizeof *w);
  for (int i = 0; i < n; i++)
    w[i] = x[i] * x[i];
  for (int i = 0; i < n; i++)
    s += w[i];
  free(w);
  return s;
}
