//: head static_work(result)/(x)
//: arg int n = 4
//: arg double x[4]
//: arg double result[1]
/* Work arrays that are static, as programs have them that were translated from Fortran or want little on the stack. */
#include <math.h>

static void recurrence(int n, double x, double *p) {
  p[0] = 1.0;
  p[1] = x;
  for (int i = 2; i < n; i++)
    p[i] = ((2 * i - 1) * x * p[i - 1] - (i - 1) * p[i - 2]) / i;
}

static double sum(int n, const double *x) {
  static double table[100][100]; /* too long for a stack */
  static double poly[16];
  static double s;
  static int i, j, m;
  m = n + 2;
  for (i = 0; i < n; i++) {
    recurrence(m, x[i], poly);
    for (j = 0; j < n; j++)
      table[i][j] = sin(poly[1]) * x[j];
  }
  s = 0.0;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      s += table[i][j] * table[j][i];
  return s * s;
}

void static_work(int n, const double *x, double *result) {
  static double back[32];
  int k = n - 1;
  back[k] = x[k];
  for (int i = k - 1; i >= 0; i--) {
    double t = x[i] * x[i];
    for (int j = i + 1; j < n; j++)
      t -= 0.1 * back[j] * back[j];
    back[i] = t;
  }
  *result = sum(n, x) + back[k] * exp(x[0]);
  *result += sum(n, x) * x[1];
}
