//: head conditional(y)/(x,y)
//: arg int n = 6
//: arg double x[6] = -1:1
//: arg double y[6]
#include <math.h>
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define SQ(x) ((x) * (x))
void conditional(int n, const double *x, double *y) {
  int count = 0;
  for (int i = 0; i < n; i++) {
    double v = x[i] > 0 ? sqrt(x[i]) : x[i] < -0.5 ? -x[i] : SQ(x[i]);
    y[i] = MAX(v, y[i]) * MAX(x[i], 0.1);
    if (x[i] > 0 && count++ < 2)
      y[i] *= x[i];
    if (x[i] < 0 || ++count > 3)
      y[i] += v * v;
    y[i] += !(count & 1) ? v : (count -= 1, 2 * v);
    x[i] > 0 ? (y[i] *= 2) : (y[i] /= 3);
  }
}
