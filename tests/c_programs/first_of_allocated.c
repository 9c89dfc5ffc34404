//: head first_of_allocated(first_of_allocated)/(x)
//: result double
//: arg int n = 4
//: arg double x[4]
#include <stdlib.h>

/* The element that loops leave out is set last: what it held before is nothing. */
double first_of_allocated(int n, const double *x) {
  double *v = malloc((n + 1) * sizeof(double));
  double s = 0.0;
  for (int i = 1; i <= n; i++)
    v[i] = x[i - 1] * x[i - 1];
  for (int i = 1; i <= n; i++)
    s += v[i] * v[n + 1 - i];
  v[0] = s;
  s = v[0] * x[0];
  free(v);
  return s;
}
