//: head work_reuse(work_reuse)/(x)
//: result double
//: arg int n = 4
//: arg double x[4]
#include <math.h>
#include <stdlib.h>
static void smooth(int n, double *v, double *work) {
  for (int i = 0; i < n; i++)
    work[i] = v[i];
  for (int i = 1; i + 1 < n; i++)
    v[i] = (work[i - 1] + work[i] * work[i] + work[i + 1]) / 3;
}
double work_reuse(int n, const double *x) {
  double *buf = malloc(2 * n * sizeof(double));
  double r = 0;
  if (!buf)
    return -1;
  for (int i = 0; i < n; i++)
    buf[i] = exp(x[i]);
  for (int k = 0; k < 3; k++)
    smooth(n, buf, buf + n);
  for (int i = 0; i < 2 * n; i++)
    r += buf[i] * buf[i];
  free(buf);
  return r;
}
