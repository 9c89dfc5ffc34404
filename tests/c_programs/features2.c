//: head features2/(x)
//: result double
//: arg double x[3]
#include <math.h>
#include <stdio.h>
typedef double real;
typedef real vec3[3];
static void cross(const vec3 a, const vec3 b, vec3 c) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}
static real dot(const vec3 a, const vec3 b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static void normalize(vec3 a) {
  const real len = sqrt(dot(a, a));
  for (int i = 0; i < 3; i++)
    a[i] /= len;
}
real features2(const real *x) {
  vec3 a = {x[0], x[1], x[2]}, b = {1, [2] = x[0]}, c;
  cross(a, b, c);
  normalize(c);
  real parts[2] = {0};
  parts[0] = dot(a, c) + 2;
  real ip;
  parts[1] = modf(x[1] * 3, &ip);
  return ldexp(parts[0], 3) + parts[1] + ip * x[2] + c[0];
}
