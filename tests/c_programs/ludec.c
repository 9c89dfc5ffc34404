//: head ludec(b)/(a,b)
//: arg int n = 3
//: arg double a[9] = 1:3
//: arg double b[3]
static void factor(int n, double m[n][n]) {
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++) {
      m[i][k] /= m[k][k];
      for (int j = k + 1; j < n; j++)
        m[i][j] -= m[i][k] * m[k][j];
    }
}
static void solve(int n, double m[n][n], double *b) {
  for (int i = 1; i < n; i++)
    for (int j = 0; j < i; j++)
      b[i] -= m[i][j] * b[j];
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++)
      b[i] -= m[i][j] * b[j];
    b[i] /= m[i][i];
  }
}
void ludec(int n, double a[n][n], double *b) {
  double m[n][n];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      m[i][j] = a[i][j] + (i == j ? n : 0);
  factor(n, m);
  solve(n, m, b);
}
