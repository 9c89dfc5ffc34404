//: head flat_elements(y,s)/(x,c)
//: arg int n = 4
//: arg int m = 3
//: arg double x[12]
//: arg double c[3]
//: arg out double y[12]
//: arg double s[2]
//: run n=1
//: run n=4 m=1
//: run n=0
#include <math.h>

/* Iterations divide the elements of y among them by rows, of w by pairs; they all add to s. */
void flat_elements(int n, int m, const double *x, const double *c, double *y, double *s) {
  double w[8];
  for (int i = 0; i < n; i++) {
    w[2 * i] = x[i * m] * c[0];
    w[2 * i + 1] = exp(-x[i * m + m - 1]) + c[1];
    double norm = sqrt(w[2 * i] * w[2 * i] + w[2 * i + 1] * w[2 * i + 1]);
    for (int j = 0; j < m; j++) {
      y[i * m + j] = w[2 * i] * x[i * m + j] / norm;
      if (y[i * m + j] > 0.5 * c[2])
        s[0] += y[i * m + j] * w[2 * i + 1];
      else
        s[1] += sin(y[i * m + j]) * norm;
    }
  }
  for (int i = n * m; i < 12; i++)
    y[i] = 0.0;
}
