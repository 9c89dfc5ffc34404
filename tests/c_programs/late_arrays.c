//: head late_arrays(late_arrays)/(x)
//: result double
//: arg int n = 4
//: arg int m = 2
//: arg double x[6]
//: run n=0 m=0
//: run n=-3 m=-1
//: run n=3 m=0
static double block(int n, int m, const double *x) {
  double s = 0;
  if (n > 0 && m > 0) {
    double w[n][m], u[n];
    for (int i = 0; i < n; i++) {
      u[i] = x[i] * x[i];
      for (int j = 0; j < m; j++)
        w[i][j] = u[i] * x[j];
    }
    for (int i = 0; i < n; i++)
      s += w[i][m - 1] * u[n - 1 - i];
  }
  return s;
}
double late_arrays(int n, int m, const double *x) {
  double b = block(n, m, x) + x[0] * x[1];
  if (n < 1)
    return b;
  double w[n];
  for (int i = 0; i < n; i++)
    w[i] = x[i] * x[i];
  double s = 0;
  for (int i = 0; i < n; i++)
    s += w[i] * s + w[n - 1 - i];
  return s * b;
}
