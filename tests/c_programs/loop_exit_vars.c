//: head loop_exit_vars(y)/(x,y)
//: arg int n = 6
//: arg double x[6]
//: arg double y[6]
void loop_exit_vars(int n, const double *x, double *y) {
  int i, last = -1, j = 0;
  for (i = 0; i < n; i++)
    if (x[i] > 0.7)
      last = i;
  y[i - 1] *= x[i - 1];
  if (last >= 0)
    y[last] += x[last] * y[last];
  for (j = 0; j < n && x[j] < 0.8; j++)
    y[j] *= 1.1;
  if (j < n)
    y[j] *= y[j];
  for (i = n - 1; i > j; i--)
    ;
  y[i < n ? i : 0] += x[0] * y[0];
  for (i = 0; i < 3; i++) {
    int k = i * 2;
    for (j = k; j < n; j += i + 1)
      y[j] += x[k % n] * 0.5 * y[k % n];
  }
  y[j % n] *= x[1];
}
