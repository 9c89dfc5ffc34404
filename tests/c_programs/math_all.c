//: head math_all(y)/(x)
//: arg double x[2] = 0.3:0.7
//: arg out double y[40]
#include <math.h>
void math_all(const double *x, double *y) {
  double a = x[0], b = x[1];
  int k = 0;
  for (k = 0; k < 40; k++)
    y[k] = 0;
  k = 0;
  y[k++] = sin(a) + cos(b);
  y[k++] = tan(a * b);
  y[k++] = asin(a) * acos(b);
  y[k++] = atan(a / b);
  y[k++] = atan2(a, b);
  y[k++] = sinh(a) - cosh(b);
  y[k++] = tanh(a + b);
  y[k++] = asinh(a) * acosh(1 + b);
  y[k++] = atanh(a * b);
  y[k++] = exp(a) + exp2(b);
  y[k++] = expm1(a * b);
  y[k++] = log(a) + log10(b);
  y[k++] = log2(a) * log1p(b);
  y[k++] = pow(a, b);
  y[k++] = pow(a, 3);
  y[k++] = pow(2.5, b);
  y[k++] = sqrt(a) + cbrt(b);
  y[k++] = hypot(a, b);
  y[k++] = erf(a) * erfc(b);
  y[k++] = tgamma(a + 1.5);
  y[k++] = lgamma(b + 2);
  y[k++] = fabs(a - b) + fabs(b - 2);
  y[k++] = fmax(a, b) * fmin(a, 0.5 * b);
  y[k++] = fdim(b + 1, a);
  y[k++] = fma(a, b, a * a);
  y[k++] = copysign(a, -b);
  y[k++] = fmod(7.3 * a, b);
  y[k++] = floor(a) + a * ceil(b);
  y[k++] = round(a * 10) * b + trunc(b * 3) * a;
  y[k++] = ldexp(a, 3) + scalbn(b, -1) - ldexp(b, k);
  y[k++] = rint(a) * a + nearbyint(b) * b;
  y[k++] = -a - +b + (a - (b - a)) / (a / (b / a));
}
