/* Gradients at x = 1, y = 2, by tangent and adjoint, against the exact ones. */
#include <math.h>
#include <stdio.h>

double chain_d(double x, double xd, double y, double yd, double *value);
void chain_b(double x, double *xb, double y, double *yb, double chainb);
double chain_aliased_d(double x, double xd, double y, double yd, double *value);
void chain_aliased_b(double x, double *xb, double y, double *yb, double chain_aliasedb);

static int check(const char *name, double adjoint, double tangent, double exact) {
  printf("%s: adjoint %.15g  tangent %.15g  exact %.15g\n", name, adjoint, tangent, exact);
  const double tolerance = 4e-15 * (1 + fabs(exact));
  return !(fabs(adjoint - exact) <= tolerance && fabs(tangent - exact) <= tolerance);
}

int main(void) {
  const double x = 1, y = 2;
  const double a = cos(x), b = sin(y) * y * y, by = cos(y) * y * y + 2 * sin(y) * y;
  double value, xb = 0, yb = 0;
  int failed = 0;
  chain_b(x, &xb, y, &yb, 1.0);
  failed |= check("df/dx", xb, chain_d(x, 1, y, 0, &value), -sin(x) * b * exp(a * b));
  failed |= check("df/dy", yb, chain_d(x, 0, y, 1, &value), by * a * exp(a * b));
  xb = yb = 0;
  chain_aliased_b(x, &xb, y, &yb, 1.0);
  failed |= check("df/dx, aliased", xb, chain_aliased_d(x, 1, y, 0, &value), 0.0);
  failed |= check("df/dy, aliased", yb, chain_aliased_d(x, 0, y, 1, &value), 2 * b * by * exp(b * b));
  return failed;
}
