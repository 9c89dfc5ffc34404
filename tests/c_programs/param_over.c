//: head param_over(y)/(a,x)
//: arg int n = 5
//: arg double a
//: arg double x[5]
//: arg double y[5]
void param_over(int n, double a, const double *x, double *y) {
  int m = n / 2;
  double *out = y + m;
  const double *in = &x[m];
  for (n -= m; n > 0; n--) {
    a *= *in++;
    *out++ = a * x[n - 1];
    a = a > 0.05 ? a : a * a;
  }
  n = 3;
  y[0] = a * x[n];
}
