//: head inner_arrays(inner_arrays)/(x)
//: result double
//: arg int n = 5
//: arg double x[6]
//: run n=1
//: run n=3
//: run n=6
#include <math.h>

/* Arrays whose lengths are known only where they are declared, inside loops and branches that are left on several ways. */
static double squares(int n, const double *x, int stop) {
  double s = 0.0;
  for (int k = 1; k <= n; k++) {
    double t[k];
    int last[k + 1];
    for (int i = 0; i < k; i++) {
      t[i] = x[i] * x[k - 1];
      last[i] = k - 1 - i;
    }
    if (k == stop)
      break;
    if (k % 3 == 0)
      continue;
    for (int i = 0; i < k; i++) {
      double u[k - i][2];
      u[k - i - 1][0] = t[i];
      u[0][1] = sin(t[last[i]]);
      if (i == 4)
        return s * u[0][1];
      s += u[k - i - 1][0] * u[0][1];
    }
  }
  return s;
}

double inner_arrays(int n, const double *x) {
  double s = squares(n, x, 100) + squares(n, x, 3);
  if (n > 2) {
    int m = 1;
    while (m < n)
      m *= 2;
    double pad[m];
    for (int i = 0; i < m; i++)
      pad[i] = i < n ? x[i] : 1.0;
    for (; m > 1; m /= 2) {
      double next[m / 2];
      for (int i = 0; i < m / 2; i++)
        next[i] = pad[2 * i] * pad[2 * i + 1] + pad[i];
      for (int i = 0; i < m / 2; i++)
        pad[i] = next[i];
    }
    s += pad[0];
  }
  switch (n) {
  case 3: {
    double t[n + (int)(2 * x[0])];
    t[0] = x[1];
    s *= t[0];
    break;
  }
  default:
    s += x[0];
  }
  return s;
}
