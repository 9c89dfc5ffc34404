//: head other_elements/(x)
//: result double
//: arg int n = 5
//: arg double x[5]
//: run n=1
//: run n=2
#include <math.h>

/* Iterations read what others have set: of a row that grows, of the row before, and a scalar from the iteration before. */
double other_elements(int n, const double *x) {
  double w[6] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0}, v[12], last = 1.0, s = 0.0;
  for (int i = 0; i < 12; i++)
    v[i] = 0.5;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++)
      w[j] = x[j] * x[i] + 0.1 * j;
    s += w[0] * w[n - 1] * x[i];
    v[2 * i + 1] = v[2 * i] * x[i];
    v[2 * i + 2 > 11 ? 11 : 2 * i + 2] = v[2 * i + 1] + w[i] * x[i];
    s += v[2 * i] * last;
    if (x[i] > 0.6)
      last = sin(x[i]) * s;
  }
  return s * last;
}
