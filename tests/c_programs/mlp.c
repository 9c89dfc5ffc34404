//: head mlp(mlp)/(x,w1,b1,w2)
//: result double
//: arg double x[3]
//: arg double w1[12]
//: arg double b1[4]
//: arg double w2[4]
#include <math.h>
enum { IN = 3, HID = 4 };
typedef double real;
static real act(real a, int kind) {
  switch (kind) {
  case 0:
    return tanh(a);
  case 1:
    return a > 0 ? a : 0.01 * a;
  default:
    return 1.0 / (1.0 + exp(-a));
  }
}
real mlp(const real x[IN], const real w1[HID][IN], const real b1[HID], const real *w2) {
  real h[HID], out = 0;
  for (int i = 0; i < HID; i++) {
    h[i] = b1[i];
    for (int j = 0; j < IN; j++)
      h[i] += w1[i][j] * x[j];
    h[i] = act(h[i], i % 3);
    out += w2[i] * h[i];
  }
  return act(out, 0);
}
