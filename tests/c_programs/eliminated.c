//: head eliminated(x)/(a,b)
//: arg int n = 3
//: arg double a[9] = 1:3
//: arg double b[3]
//: arg out double x[3]
/* Gauss without pivots in a flat matrix: it is overwritten and is no dependent, so its adjoint is kept apart, as long as the loops go through it. */
void eliminated(int n, double *a, double *b, double *x) {
  for (int k = 0; k < n; k++)
    a[k * n + k] += 6.0;
  for (int k = 0; k < n - 1; k++) {
    for (int i = k + 1; i < n; i++) {
      double f = a[i * n + k] / a[k * n + k];
      for (int j = k; j < n; j++)
        a[i * n + j] -= f * a[k * n + j];
      b[i] -= f * b[k];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    double s = b[i];
    for (int j = i + 1; j < n; j++)
      s -= a[i * n + j] * x[j];
    x[i] = s / a[i * n + i];
  }
}
