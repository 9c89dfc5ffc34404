//: head gathered(y)/(x,w)
//: arg int n = 9
//: arg double x[9]
//: arg double w[9]
//: arg double y[9]
//: run n=1
//: run n=2
//: run n=3
//: run n=4
//: run n=5
//: run n=6
/* Stencils of several widths: also where there are fewer iterations than neighbours. */
void gathered(int n, double x[n], const double w[n], double y[n]) {
  double v[9] = {0};
  for (int i = 2; i < n - 2; i++)
    v[i] = x[i - 2] - 4 * x[i - 1] + 6 * w[i] * x[i] - 4 * x[i + 1] + x[i + 2];
  for (int i = n - 2; i > 0; i--) {
    double left = v[i] - v[i - 1], right = v[i + 1] - v[i];
    y[i] = left * left + w[i] * right * right;
  }
  for (int i = 0; i + 3 < n; i++)
    y[i] += w[i] * y[i + 3];
  for (int k = 1; k <= 2; k++)
    for (int i = 1; i < n; i++)
      x[i - 1] = 0.5 * v[i] * k + x[i - 1] / 3;
  for (int i = 0; i < n; i++)
    y[i] = y[i] * x[i];
}
