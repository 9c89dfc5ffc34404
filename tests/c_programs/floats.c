//: head floats(y)/(x,a)
//: arg int n = 4
//: arg float a
//: arg float x[4]
//: arg out float y[4]
#include <math.h>
void floats(int n, float a, const float *x, float *y) {
  for (int i = 0; i < n; i++) {
    float t = expf(-a * x[i]) + powf(x[i], 1.5f) + fabsf(x[i] - a);
    y[i] = t / (1.0f + t) + 2 * hypotf(t, a) + fmaxf(t, a) + logf(t) + tanhf(t) + atan2f(t, a);
  }
}
