//: head softmax(softmax,g)/(w,x)
//: result double
//: arg int n = 3
//: arg int m = 4
//: arg double w[12]
//: arg double x[4]
//: arg int label = 1
//: arg out double g[3]
#include <math.h>
double softmax(int n, int m, const double *w, const double *x, int label, double *g) {
  double z[n], top = -1e300, sum = 0.0;
  for (int i = 0; i < n; i++) {
    z[i] = 0;
    for (int j = 0; j < m; j++)
      z[i] += w[i * m + j] * x[j];
    if (z[i] > top)
      top = z[i];
  }
  for (int i = 0; i < n; i++)
    sum += (g[i] = exp(z[i] - top));
  for (int i = 0; i < n; i++)
    g[i] /= sum;
  return -log(g[label]);
}
