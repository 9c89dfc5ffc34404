//: head prefix(x)/(x)
//: arg int n = 6
//: arg double x[6]
void prefix(int n, double *x) {
  for (int i = 1; i < n; i++)
    x[i] = x[i] * x[i - 1] + x[i - 1];
  for (int i = n - 2; i >= 0; i -= 2)
    x[i] += x[i + 1];
}
