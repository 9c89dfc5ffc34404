//: head work_argument(y)/(x)
//: arg int n = 4
//: arg double x[4]
//: arg double w[4]
//: arg out double y[4]
void work_argument(int n, const double *restrict x, double w[restrict n], double *restrict y) {
  for (int i = 0; i < n; i++)
    w[i] = x[i] * x[i];
  for (int i = 0; i < n; i++)
    y[i] = w[n - 1 - i] * w[i];
}
