//: head gauss_seidel(x)/(a,b,x)
//: result int
//: arg int n = 4
//: arg double a[16] = 0.1:0.4
//: arg double b[4]
//: arg double x[4]
#include <math.h>
int gauss_seidel(int n, const double *a, const double *b, double *x) {
  int sweeps = 0;
  double change;
  do {
    change = 0.0;
    for (int i = 0; i < n; i++) {
      double s = b[i];
      for (int j = 0; j < n; j++) {
        if (j == i)
          continue;
        s -= a[i * n + j] * x[j];
      }
      s /= a[i * n + i] + 2.0;
      change = fmax(change, fabs(s - x[i]));
      x[i] = s;
    }
    sweeps++;
  } while (change > 1e-6 && sweeps < 50);
  return sweeps;
}
