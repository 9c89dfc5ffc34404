#include <math.h>

/* Three statements whose local Jacobian can be accumulated as one. */
double chain(double x, double y) {
  double a, b;
  a = cos(x);
  b = sin(y) * y * y;
  return exp(a * b);
}

/* The same where a and b are one variable: what the first statement computes is lost. */
double chain_aliased(double x, double y) {
  double b;
  double *a = &b;
  *a = cos(x);
  b = sin(y) * y * y;
  return exp(*a * b);
}
