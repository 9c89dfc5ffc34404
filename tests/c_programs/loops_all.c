//: head loops_all(y)/(x,y)
//: arg int n = 6
//: arg double x[6]
//: arg double y[6]
//: run n=0
//: run n=1
void loops_all(int n, const double *x, double *y) {
  int i, j;
  unsigned u;
  long l;
  for (i = n - 1; i >= 0; i--)
    y[i] *= x[i];
  for (i = 0; i < n; i += 3)
    y[i] += x[n - 1 - i] * y[i];
  for (i = n; i--;)
    y[i] -= 0.1 * x[i] * y[i];
  for (u = 0u; u < (unsigned)n; ++u)
    y[u] = y[u] * y[u];
  for (l = n - 1; l > -1; l = l - 2)
    y[l] += x[l];
  for (i = 0, j = n - 1; i < j; i++, j--) {
    double t = y[i] * x[j];
    y[i] = y[j];
    y[j] = t;
  }
  for (i = 1; i < n; i *= 2)
    y[i] += y[i - 1] * y[i];
  for (i = 0; i != n; i++) {
    if (x[i] > 0.8)
      continue;
    y[i] *= 1.5 * x[i];
  }
  i = 0;
  for (;;) {
    if (i >= n)
      break;
    y[i++] += x[0] * x[0];
  }
  for (i = 5; i < 3; i++)
    y[0] = 1e30;
}
