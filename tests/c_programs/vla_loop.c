//: head vla_loop(y)/(x)
//: arg int n = 4
//: arg double x[4]
//: arg out double y[4]
void vla_loop(int n, const double *x, double *y) {
  for (int k = 0; k < n; k++) {
    double w[k + 1][2];
    for (int i = 0; i <= k; i++) {
      w[i][0] = x[i] * (i ? w[i - 1][1] : 1.0);
      w[i][1] = w[i][0] * w[i][0] + x[k];
    }
    y[k] = w[k][0] * w[k][1];
  }
}
