//: head nn/(w1,b1,w2)
//: result double
//: arg int nin = 3
//: arg int nh = 4
//: arg double x[3]
//: arg double w1[12]
//: arg double b1[4]
//: arg double w2[4]
//: arg double target
#include <math.h>
static double sigmoid(double z) { return 1.0 / (1.0 + exp(-z)); }
double nn(int nin, int nh, const double x[nin], const double w1[nh][nin], const double b1[nh], const double w2[nh], double target) {
  double h[nh];
  double o = 0.0;
  for (int j = 0; j < nh; ++j) {
    double z = b1[j];
    for (int i = 0; i < nin; ++i) z += w1[j][i] * x[i];
    h[j] = sigmoid(z);
    o += w2[j] * h[j];
  }
  const double d = sigmoid(o) - target;
  return 0.5 * d * d;
}
