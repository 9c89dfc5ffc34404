//: head inplace(y)/(x,y)
//: arg int n = 5
//: arg double x[5]
//: arg double y[5]
//: same y x
//: run n=1
#include <math.h>
void inplace(int n, const double *x, double *y) {
  for (int i = 0; i < n; i++)
    y[i] = sin(x[i]) * x[i];
  for (int i = 1; i < n; i++)
    y[i] = x[i - 1] * y[i] * x[i];
}
