// arrays of structures from `malloc`
// f/(x)
#include <stdlib.h>
struct body { double x, y; };
double f(int n, const double *x) {
  struct body *b = malloc(n * sizeof *b);
  double s = 0.0;
  for (int i = 0; i < n; i++)
    b[i].x = x[i] * x[i];
  for (int i = 0; i < n; i++)
    s += b[i].x * x[i];
  free(b);
  return s;
}
