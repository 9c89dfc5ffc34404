//: head twice(a)/(a)
//: arg int n = 4
//: arg double a[4]
static void axpy(int n, double s, const double *x, double *y) {
  for (int i = 0; i < n; i++)
    y[i] += s * x[i] * y[i];
}
static double mul(const double *p, double *q) {
  *q = *q * *p + *p;
  return *p * *q;
}
void twice(int n, double *a) {
  axpy(n, a[0], a, a);
  a[1] = mul(&a[2], &a[2]);
  axpy(n - 1, 0.5, a + 1, a);
  a[3] = mul(a, a + 1);
}
