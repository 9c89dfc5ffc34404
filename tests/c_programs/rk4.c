//: head rk4(y)/(y,p)
//: arg int steps = 5
//: arg double h = 0.1
//: arg double p[3]
//: arg double y[2]
//: run steps=0
#include <math.h>
static void rhs(const double *y, const double *p, double *dy) {
  dy[0] = p[0] * y[1];
  dy[1] = -p[1] * sin(y[0]) - p[2] * y[1];
}
void rk4(int steps, double h, const double *p, double *y) {
  double k1[2], k2[2], k3[2], k4[2], t[2];
  while (steps-- > 0) {
    rhs(y, p, k1);
    for (int i = 0; i < 2; i++)
      t[i] = y[i] + 0.5 * h * k1[i];
    rhs(t, p, k2);
    for (int i = 0; i < 2; i++)
      t[i] = y[i] + 0.5 * h * k2[i];
    rhs(t, p, k3);
    for (int i = 0; i < 2; i++)
      t[i] = y[i] + h * k3[i];
    rhs(t, p, k4);
    for (int i = 0; i < 2; i++)
      y[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
  }
}
