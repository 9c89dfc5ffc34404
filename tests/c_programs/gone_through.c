//: head gone_through(y)/(x)
//: arg int n = 3
//: arg int m = 4
//: arg double x[12]
//: arg double square[9]
//: arg double cube[36]
//: arg double y[3]
//: run n=1
//: run m=1
//: run n=0
/* Work arrays that the head does not name, and that declare no extent: the loops tell how far they go, by products of the arguments. */
void gone_through(int n, int m, const double *x, double *square, double *cube, double *y) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      double s = 0.0;
      for (int k = 0; k < m; k++)
        s += x[i * m + k] * x[j * m + k];
      square[i * n + j] = s;
    }
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      double *row = cube + (i * n + j) * m;
      for (int k = m - 1; k >= 0; k--)
        row[k] = square[i * n + j] * x[j * m + k];
    }
  }
  for (int i = 0; i < n; i++) {
    y[i] = 0.0;
    for (int j = 0; j <= i; j++)
      for (int k = 0; k < m; k++)
        y[i] += cube[i * n * m + j * m + k] * square[j * n + i];
  }
}
