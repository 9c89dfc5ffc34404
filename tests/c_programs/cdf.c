//: head cdf(out)/(s,k,v)
//: arg int n = 2
//: arg double s[2]
//: arg double k[2]
//: arg double v[2]
//: arg out double out[4]
#include <math.h>
#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif
static double cnd(double d) {
  static const double A[] = {0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429};
  const double RSQRT2PI = 0.39894228040143267793994605993438;
  double K = 1.0 / (1.0 + 0.2316419 * fabs(d));
  double c = RSQRT2PI * exp(-0.5 * d * d) * (K * (A[0] + K * (A[1] + K * (A[2] + K * (A[3] + K * A[4])))));
  if (d > 0) c = 1.0 - c;
  return c;
}
static void bs(double *call, double *put, double S, double X, double T, double R, double V) {
  double sqrtT = sqrt(T), d1 = (log(S / X) + (R + 0.5 * V * V) * T) / (V * sqrtT), d2 = d1 - V * sqrtT;
  double e = exp(-R * T);
  *call = S * cnd(d1) - X * e * cnd(d2);
  *put = X * e * (1.0 - cnd(d2)) - S * (1.0 - cnd(d1));
}
void cdf(int n, const double *s, const double *k, const double *v, double *out) {
  for (int i = 0; i < n; i++)
    bs(&out[2 * i], &out[2 * i + 1], s[i], k[i], 1.0 + i, .02, v[i]);
}
