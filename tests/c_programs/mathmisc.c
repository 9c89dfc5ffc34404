//: head mathmisc(y)/(x)
//: arg double x[6] = {1.3, 0.7, 2.6, 0.57, -1.2, 3.3}
//: arg out double y[16]
#include <math.h>
void mathmisc(const double *x, double *y)
{
    int e;
    double ip;
    double m = frexp(x[0], &e);
    y[0] = m * e + ldexp(x[1], 3);
    y[1] = remainder(x[2], x[3]);
    y[2] = modf(x[2] * x[2], &ip); y[2] += ip;
    y[3] = nearbyint(x[5]) * x[5] + rint(x[0]) * x[1];
    y[4] = scalbn(x[3], -2) * logb(8.0);
    y[5] = fdim(x[0], x[1]) + fdim(x[1], x[0]);
    y[6] = cbrt(x[4]) + exp2(x[3]) + log2(x[5]);
    y[7] = copysign(x[0], x[4]) * fmin(x[1], x[2]);
    y[8] = fmod(x[5], x[3]);
    y[9] = hypot(x[0], x[4]) + atan2(x[4], x[0]);
    y[10] = tgamma(x[0]) + lgamma(x[2]) + erf(x[3]);
    y[11] = expm1(x[3]) * log1p(x[1]) * asinh(x[4]) * acosh(x[2]) * atanh(x[3]);
    y[12] = pow(x[0], 2.0) + pow(x[4], 3) + pow(x[0], x[4]) + pow(x[5], 0.5);
    y[13] = floor(x[5]) * x[0] + ceil(x[5]) * x[1] + trunc(x[4]) * x[2] + round(x[2]) * x[3];
    y[14] = isnan(x[0]) || !isfinite(x[1]) ? 0.0 : fabs(x[4]);
    y[15] = signbit(x[4]) ? -x[4] : x[4];
}
