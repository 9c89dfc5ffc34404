//: head matmul2d(c)/(a,b)
//: arg int n = 3
//: arg double a[9]
//: arg double b[9]
//: arg out double c[9]
void matmul2d(int n, double a[n][n], double b[n][n], double c[n][n]) {
  int i, j, k;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      c[i][j] = 0.0;
  for (i = 0; i < n; i++)
    for (k = 0; k < n; k++)
      for (j = 0; j < n; j++)
        c[i][j] += a[i][k] * b[k][j];
}
