/* At x = -5, y = -0.5 the condition of the loop is tested twice and its body runs once: result -0.949, gradient (0.0788, 1.5766). */
#include <math.h>
#include <stdio.h>

void fragment_d(double *x, double *xd, double y, double yd);
void fragment_b(double *x, double *xb, double y, double *yb);

int main(void) {
  const double x0 = -5.0, y = -0.5;
  /* x1 = x0*y, x2 = sin(x1*y) and their derivatives, by hand */
  const double x1 = x0 * y, x2 = sin(x1 * y);
  const double x1x = y, x1y = x0;
  const double dx = cos(x1 * y) * y * x1x, dy = cos(x1 * y) * (y * x1y + x1);

  double x = x0, xb = 1.0, yb = 0.0;
  fragment_b(&x, &xb, y, &yb);
  double xt = x0, tx = 1.0;
  fragment_d(&xt, &tx, y, 0.0);
  const double value = xt;
  xt = x0;
  double ty = 0.0;
  fragment_d(&xt, &ty, y, 1.0);
  printf("result %.4f  adjoint (%.15f, %.15f)  tangent (%.15f, %.15f)  exact (%.15f, %.15f)\n", value, xb, yb, tx, ty, dx, dy);
  const double tolerance = 1e-14;
  return !(fabs(value - x2) <= tolerance && fabs(xb - dx) <= tolerance && fabs(yb - dy) <= tolerance && fabs(tx - dx) <= tolerance &&
           fabs(ty - dy) <= tolerance && fabs(dx - 0.0788) < 5e-5 && fabs(dy - 1.5766) < 5e-5);
}
