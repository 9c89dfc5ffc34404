//: head matrix_ptr(y)/(a,x)
//: arg int n = 3
//: arg double a[9]
//: arg double x[3]
//: arg out double y[3]
static void gemv(int n, double alpha, const double *a, int lda, const double *x, int incx, double beta, double *y) {
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int j = 0, k = 0; j < n; j++, k += incx)
      s += a[i + j * lda] * x[k];
    y[i] = alpha * s + (beta == 0 ? 0 : beta * y[i]);
  }
}
void matrix_ptr(int n, const double *a, const double *x, double *y) {
  double t[6];
  gemv(n, 2.0, a, n, x, 1, 0.0, y);
  for (int i = 0; i < n; i++)
    t[2 * i] = y[i] * x[i], t[2 * i + 1] = 0;
  gemv(n, x[0], a, n, t, 2, y[0] * 0 + 1, y);
}
