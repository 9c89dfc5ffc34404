//: head stepping(y)/(u)
//: arg int n = 6
//: arg double u[6]
//: arg double y[9]
/* Pointers that are stepped where their values are used. */
#include <string.h>
static double squared(const double *p) { return *p * *p; }
void stepping(int n, const double *u, double *y)
{
  static const int order[] = {2, 0, 4, 1, -1};
  const double *p = u, *q, *end = u + n;
  const int *at = order;
  double t[2];
  int k = 1, i = 0;
  for (int j = 0; j < 9; j++)
    y[j] = 0;
  do
    y[0] += *p * *p;
  while (++p != end);
  p = u;
  while ((p += 2) < end)
    y[1] += *p * p[-1];
  p = u;
  for (;;) {
    y[2] += *p * u[0];
    if (++p == end)
      break;
  }
  do
    y[3] += u[*at] * u[*at];
  while (*++at >= 0);
  p = u;
  y[4] = squared(++p);
  y[4] += squared(p += 2);
  memcpy(t, --p, sizeof t);
  y[4] += t[0] * t[1];
  p = u;
  for (int j = 1; j < n; j++) {
    q = p++;
    y[5] += q[0] * *p;
  }
  p = u;
  for (int j = 1; j < n; j++) {
    q = ++p;
    y[6] += q[0] * p[-1];
  }
  p = u;
  while (p < end) {
    y[7] += *p * *p * k;
    p += k++;
  }
  while (i < n - 1) {
    p = &u[i++];
    y[8] += p[0] * u[i];
  }
  at = order;
  p = u + *at++;
  q = p -= 1;
  y[8] *= *p + *q * u[*at];
  p = u;
  while (*++p > 0 && ++p - u < n)
    y[8] += p[0] * p[-1];
}
