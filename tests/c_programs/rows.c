//: head rows(y)/(a,x)
//: arg int n = 3
//: arg int m = 4
//: arg double a[12]
//: arg double x[4]
//: arg out double y[3]
static double dotp(int m, const double *row, const double *x) {
  double s = 0;
  for (int j = 0; j < m; j++)
    s += *row++ * x[j];
  return s;
}
void rows(int n, int m, double a[n][m], const double *x, double *y) {
  for (int i = 0; i < n; i++)
    y[i] = dotp(m, a[i], x) * dotp(2, &a[i][1], x);
}
