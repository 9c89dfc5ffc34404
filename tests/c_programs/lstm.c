//: head lstm(h,c)/(x,w,h,c)
//: arg int t = 3
//: arg double x[3]
//: arg double w[8]
//: arg double h[1]
//: arg double c[1]
#include <math.h>
#define SIGMOID(z) (1.0 / (1.0 + exp(-(z))))
void lstm(int t, const double *x, const double *w, double *h, double *c) {
  for (int i = 0; i < t; i++) {
    double in = SIGMOID(w[0] * x[i] + w[1] * *h);
    double fo = SIGMOID(w[2] * x[i] + w[3] * *h);
    double ou = SIGMOID(w[4] * x[i] + w[5] * *h);
    double g = tanh(w[6] * x[i] + w[7] * *h);
    *c = fo * *c + in * g;
    *h = ou * tanh(*c);
  }
}
