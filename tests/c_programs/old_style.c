//: head old_style(y)/(x,a)
//: arg int n = 3
//: arg double x[3]
//: arg double a[3]
//: arg out double y[1]
/* Old-style definitions, and declarations without prototypes. */
#include <math.h>

static double weights[3] = {1.0, -0.5, 0.25};

static double poly();
static double power();

void old_style(n, x, a, y)
int n;
const double *x, a[];
double *y;
{
  double s = 0.0;
  int i;
  for (i = 0; i < n; i++)
    s += poly(x[i], weights, 2) * power(a[i], i + 1);
  *y = s;
}

static double poly(x, coef, degree)
register double x;
double coef[];
int degree;
{
  double ans, *p = coef;
  int i = degree;
  ans = *p++;
  do
    ans = ans * x + *p++;
  while (--i);
  return ans;
}

static double power(base, k)
double base;
int k;
{
  double r = 1.0;
  while (k-- > 0)
    r *= base * exp(-0.1 * base);
  return r;
}
