#include <math.h>

/* Griewank's test function: sum of x[i]^2/400 - product of cos(x[i]/sqrt(i + 1)) + 1. */
double griewank(int n, const double *x) {
  double s = 0, p = 1;
  for (int i = 0; i < n; i++) {
    s += x[i] * x[i] / 400.0;
    p *= cos(x[i] / sqrt(i + 1.0));
  }
  return s - p + 1.0;
}
