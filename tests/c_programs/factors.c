//: head factors(a,s,p,q,w)/(a,b,s,p,q,w)
//: arg int n = 4
//: arg int k[4] = {3,-2,7,1}
//: arg double a[4]
//: arg double b[4]
//: arg double s[1]
//: arg float p[4]
//: arg float q[4]
//: arg double w[4]
//: run n=1
/* What is multiplied by one adjoint can be added up; integers, quotients, choices, other precisions and the place that is set stay as they are. */
#include <math.h>
void factors(int n, const int k[n], double a[restrict n], const double b[restrict n], double s[restrict 1], float p[restrict n], float q[restrict n],
             double w[restrict n]) {
  for (int i = 0; i < n; i++) {
    s[0] += 3.0 * b[i] * b[i] - 2.0 * (b[i] - 0.25 * b[i] * b[i]) * b[i] + k[i] * b[i] + 2 * (k[i] * b[i]);
    s[0] += b[i] / (3.0 + b[i]) - b[i] / (1.0 + b[i] * b[i]);
    a[i] = a[i] - 2.0 * a[i] * a[i] + a[i] * b[i] - (b[i] - a[i]) * 0.5;
    w[i] = w[i] > 0.5 ? w[i] * b[i] + w[i] * w[i] : sqrt(w[i]) - 2.0 * w[i] * b[i];
    p[i] = (float)(p[i] * b[i]) + 0.1f * q[i] - 0.3f * q[i] * p[i] - q[i];
    q[i] = (float)(0.1 * q[i] - 0.7 * q[i] * b[i]) + 3 * q[i] - p[i] * q[i] * 0.2f;
    w[i] -= 1000000 * (b[i] - b[i]) + (k[i] - k[i]) * b[i] + k[i] * k[i] * b[i];
  }
}
