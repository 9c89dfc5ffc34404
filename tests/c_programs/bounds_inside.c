//: head bounds_inside(y)/(x,y)
//: arg int n = 6
//: arg double x[6]
//: arg double y[6]
void bounds_inside(int n, const double *x, double *y) {
  int m = n, step = 1;
  for (int i = 0; i < m; i += step) {
    y[i] *= x[i];
    if (x[i] > 0.5)
      m--;
    if (i == 2)
      step = 2;
  }
  for (int i = 0; i < n; i++) {
    y[i] += x[i] * y[i];
    if (y[i] > 0.6)
      i++;
  }
  m = 3;
  while (m < n) {
    y[m] *= y[m - 1];
    m += 1 + (m & 1);
  }
}
