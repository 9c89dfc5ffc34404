/* Prints the gradient of cost by its adjoint. */
#include "cost_b.h"
#include <stdio.h>

int main(void) {
  double x[3] = {0.0, 1.0, 2.0}, xb[3] = {0.0};
  cost_b(3, x, xb, 1.0);
  printf("%.8f %.8f %.8f\n", xb[0], xb[1], xb[2]);
}
