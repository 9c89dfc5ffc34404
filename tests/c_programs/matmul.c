//: head matmul(c)/(a,b)
//: arg int n = 3
//: arg int m = 2
//: arg int p = 4
//: arg double a[6]
//: arg double b[8]
//: arg out double c[12]
//: run n=1 m=2 p=1
/* c = a b, row by row */
void matmul(int n, int m, int p, const double *a, const double *b, double *c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < p; j++) {
      double s = 0.0; /* the dot product */
      for (int k = 0; k < m; k++)
        s += a[i * m + k] * b[k * p + j];
      c[i * p + j] = s;
    }
  for (int i = n * p; i < 12; i++)
    c[i] = 0;
}
