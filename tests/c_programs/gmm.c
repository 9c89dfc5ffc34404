//: head gmm/(w,mu,ls,x)
//: result double
//: arg int n = 4
//: arg int k = 2
//: arg int d = 3
//: arg double w[2]
//: arg double mu[6]
//: arg double ls[6]
//: arg double x[12]
#include <math.h>
static double logsumexp(int n, const double *v) {
  double top = v[0], s = 0;
  for (int i = 1; i < n; i++)
    if (v[i] > top)
      top = v[i];
  for (int i = 0; i < n; i++)
    s += exp(v[i] - top);
  return top + log(s);
}
double gmm(int n, int k, int d, const double w[k], const double mu[k][d], const double ls[k][d], const double x[n][d]) {
  double terms[k], total = 0;
  for (int i = 0; i < n; i++) {
    for (int c = 0; c < k; c++) {
      double q = 0, sum = 0;
      for (int j = 0; j < d; j++) {
        double z = (x[i][j] - mu[c][j]) * exp(-ls[c][j]);
        q += z * z;
        sum += ls[c][j];
      }
      terms[c] = w[c] - sum - 0.5 * q;
    }
    total += logsumexp(k, terms);
  }
  return total - n * logsumexp(k, w);
}
