//: head common_elements/(a,q,x)
//: result double
//: arg int n = 3
//: arg int k = 4
//: arg int d = 2
//: arg double a[4]
//: arg double q[8]
//: arg double x[6]
//: run k=1
//: run k=2 d=1
//: run n=1 k=3
//: run n=0
#include <math.h>

/* Scratch arrays: each iteration sets the same elements before it reads them, or just what it reads. */
double common_elements(int n, int k, int d, const double *a, const double *q, const double *x) {
  double term[6] = {0.1, 0.2, 0.3}, away[2], sum = 0.0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < k; j++) {
      double s = 0.0;
      for (int l = 0; l < d; l++) {
        away[l] = x[i * d + l] - q[j * d + l];
        s += away[l] * away[l] * exp(q[j * d + l]);
      }
      term[j] = a[j] - 0.5 * s;
    }
    double most = term[0];
    for (int j = 1; j < k; j++)
      if (term[j] > most)
        most = term[j];
    double e = 0.0;
    for (int j = 0; j < k; j++)
      e += exp(term[j] - most);
    sum += most + log(e);
  }
  return sum;
}
