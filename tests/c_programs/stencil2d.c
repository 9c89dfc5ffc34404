//: head stencil2d(stencil2d)/(u,f)
//: result double
//: arg int n = 4
//: arg int m = 5
//: arg double u[20]
//: arg double f[20]
double stencil2d(int n, int m, double u[n][m], double f[n][m]) {
  double r[n][m], s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      if (i == 0 || j == 0 || i == n - 1 || j == m - 1) {
        r[i][j] = u[i][j];
        continue;
      }
      r[i][j] = 4 * u[i][j] - u[i - 1][j] - u[i + 1][j] - u[i][j - 1] - u[i][j + 1] - f[i][j] * u[i][j] * u[i][j];
    }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      s += r[i][j] * r[i][j];
  return s;
}
