//: head mixed(mixed,d)/(f,d)
//: result double
//: arg int n = 4
//: arg float f[4]
//: arg double d[4]
#include <math.h>
double mixed(int n, const float *f, double *d) {
  float s = 0.0f;

  for (int i = 0; i < n; i++) {
    s += f[i] * f[i];
    d[i] *= (double)f[i] + sinf(f[i]);
    s = (float)(s + d[i]);
  }
  return sqrt((double)s) + (double)(float)d[0];

}
