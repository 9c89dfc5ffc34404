/* Prints the gradient of cost by its adjoint, and one component by its tangent. */
#include "gradient_derivatives.h"
#include <stdio.h>

int main(void) {
  double x[3] = {0.0, 1.0, 2.0}, xb[3] = {0.0}, xd[3] = {0.0, 1.0, 0.0}, value;
  cost_b(3, x, xb, 1.0);
  printf("%.8f %.8f %.8f\n", xb[0], xb[1], xb[2]);
  printf("%.8f\n", cost_d(3, x, xd, &value));
}
