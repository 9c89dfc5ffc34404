//: head layers(y)/(w,bias)
//: arg int n = 3
//: arg double w[18]
//: arg double bias[6]
//: arg double x[3]
//: arg double y[3]
#include <math.h>

/* A helper whose input is data in one call and has a derivative in the next, without a length that is declared. */
static void layer(int n, const double *w, const double *bias, const double *in, double *out) {
  for (int i = 0; i < n; i++) {
    double s = bias[i];
    for (int j = 0; j < n; j++)
      s += w[i * n + j] * in[j];
    out[i] = tanh(s);
  }
}

void layers(int n, const double *restrict w, const double *restrict bias, const double *x, double *restrict y) {
  double h[n];
  layer(n, w, bias, x, h);
  layer(n, w + n * n, bias + n, h, y);
}
