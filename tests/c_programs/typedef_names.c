//: head typedef_names(y)/(x)
//: arg int n = 4
//: arg double x[4]
//: arg double y[4]
/* Types with names that new variables would have. */
#include <math.h>
typedef int t;
typedef double c;
void typedef_names(int n, const double *x, double *y)
{
  t k = 2;
  c v = 1;
  for (t i = 0; i < n; i++)
    v = v * x[i] * x[k] + sin(v * x[i]);
  for (t i = 0; i < n; i++)
    y[i] = exp(v * x[i]) * sin(x[i]);
}
