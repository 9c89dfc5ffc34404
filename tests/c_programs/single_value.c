//: head single_value(single_value)/(a,b)
//: result float
//: arg float a
//: arg float b
#include <math.h>
float single_value(float a, float b) {
  double t = a;
  t = t * b + sin(a);
  float u = t;
  u += b * 2;
  return u > 0 ? u * u : sqrtf(-u);
}
