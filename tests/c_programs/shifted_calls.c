//: head shifted_calls(x,y)/(x,y)
//: arg int n = 5
//: arg double x[5]
//: arg double y[5]
/* Scalars that follow from what the callers change between the calls, read in loops that are run again. */
#include <math.h>
static int level;
static void fused(int n, const double x[n], double y[n], const int *k, const int from[n])
{
  int m = n / 2 + 1;
  for (int i = 0; i < n; i++) {
    int r = (i + *k) % 7, q = from[i], l = i + m + level;
    double s = 0.0;
    for (int j = 0; j < n; j++) {
      double d = r;
      d = 0.5 * d + j;
      double t = d * x[j] * (1 + 0.1 * q) + 0.01 * l;
      s += t * t;
    }
    y[i] += s;
  }
}
static void nested(int n, int depth, const double x[n], double y[n])
{
  if (depth == 0)
    return;
  level++;
  for (int i = 0; i < n; i++) {
    int r = (i + level) % n;
    double s = 0.0;
    for (int j = 0; j < n; j++) {
      double d = r;
      d = 0.5 * d + j;
      s += d * x[j] * x[r];
    }
    y[i] = y[i] * (1 + 0.1 * s);
  }
  nested(n, depth - 1, x, y);
}
void shifted_calls(int n, double x[n], double y[n])
{
  int k = 1, from[n];
  level = 0;
  for (int t = 0; t < 2; t++) {
    for (int i = 0; i < n; i++)
      from[i] = (i * (t + 2) + 1) % n;
    fused(n, x, y, &k, from);
    k = k + from[0] + 1;
    level = t;
  }
  nested(n, 2, x, y);
  level = 9;
}
