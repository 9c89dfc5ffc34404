//: head plate(plate)/(x)
//: result double
//: arg int n = 8
//: arg int nt = 2
//: arg double x[10]
//: run n=2
//: run n=3
//: run n=4
//: run nt=0
double plate(int n, int nt, const double x[10]) {
  double u[10][10], w[10][10], s = 0;
  for (int i = 0; i < 10; i++) for (int j = 0; j < 10; j++) { u[i][j] = x[i] * (j + 1) * 0.1; w[i][j] = u[i][j]; }
  for (int t = 0; t < nt; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        w[i][j] = u[i][j] + 0.1 * u[i][j] * (u[i + 1][j] + u[i - 1][j] + u[i][j + 1] + u[i][j - 1] - 4.0 * u[i][j]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        u[i][j] = w[i][j];
    for (int j = 0; j < n; j++) u[0][j] = u[1][j];
  }
  for (int i = 0; i < 10; i++) for (int j = 0; j < 10; j++) s += u[i][j] * u[i][j];
  return s;
}
