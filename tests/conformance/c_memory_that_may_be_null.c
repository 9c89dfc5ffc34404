// memory that is null for no elements
// f/(x)
#include <stdlib.h>
static double *vector(int n) {
  double *v;
  if (n <= 0) return NULL;
  if (!(v = malloc(n * sizeof(double)))) exit(1);
  return v;
}
double f(const double x[3]) {
  double *v = vector(3), s = 0.0;
  for (int i = 0; i < 3; i++) v[i] = x[i] * x[i];
  for (int i = 0; i < 3; i++) s += v[i] * x[2 - i];
  free(v);
  return s;
}
