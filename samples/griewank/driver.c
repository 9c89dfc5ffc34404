/* Gradient of Griewank's function for n = 5 at x = 1, by tangent and by adjoint, against its exact value. */
#include <math.h>
#include <stdio.h>

double griewank_d(int n, const double *x, const double *xd, double *value);
void griewank_b(int n, const double *x, double *xb, double griewankb);

int main(void) {
  enum { n = 5 };
  double x[n], xd[n], xb[n] = {0}, value;
  for (int i = 0; i < n; i++)
    x[i] = 1;
  griewank_b(n, x, xb, 1.0);
  for (int i = 0; i < n; i++) {
    double product = 1;
    for (int j = 0; j < n; j++) {
      xd[j] = i == j;
      if (j != i)
        product *= cos(x[j] / sqrt(j + 1.0));
    }
    const double exact = x[i] / 200 + product * sin(x[i] / sqrt(i + 1.0)) / sqrt(i + 1.0);
    const double tangent = griewank_d(n, x, xd, &value);
    printf("i = %d  adjoint %.15f  tangent %.15f  exact %.15f\n", i + 1, xb[i], tangent, exact);
    if (!(fabs(xb[i] - exact) <= 1e-14) || !(fabs(tangent - exact) <= 1e-14))
      return 1;
  }
  return 0;
}
