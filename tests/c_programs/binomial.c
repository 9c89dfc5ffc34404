//: head binomial/(s,k,sigma)
//: result double
//: arg double s = 1:1.2
//: arg double k = 1:1.1
//: arg double sigma
//: arg int n = 6
//: arg int american = 1
//: run american=0
#include <math.h>
#define MAX(a, b) ((a) > (b) ? (a) : (b))
double binomial(double s, double k, double sigma, int n, int american) {
  double v[n + 1];
  const double dt = 1.0 / n, u = exp(sigma * sqrt(dt)), d = 1 / u, p = (exp(0.03 * dt) - d) / (u - d), disc = exp(-0.03 * dt);
  for (int i = 0; i <= n; i++)
    v[i] = MAX(k - s * pow(u, n - 2 * i), 0);
  for (int j = n - 1; j >= 0; j--)
    for (int i = 0; i <= j; i++) {
      v[i] = disc * (p * v[i] + (1 - p) * v[i + 1]);
      if (american)
        v[i] = MAX(v[i], k - s * pow(u, j - 2 * i));
    }
  return v[0];
}
