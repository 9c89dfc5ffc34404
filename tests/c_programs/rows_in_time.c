//: head rows_in_time(rows_in_time)/(x)
//: result double
//: arg int n = 6
//: arg int nt = 3
//: arg double x[6]
//: run n=2
//: run nt=0
double rows_in_time(int n, int nt, const double x[n]) {
  double h[nt + 1][n], c[n], s = 0;
  for (int i = 0; i < n; i++) h[0][i] = x[i];
  for (int t = 0; t < nt; t++) {
    for (int i = 0; i < n; i++) c[i] = h[t][i] * h[t][i];
    for (int i = 1; i < n; i++) c[i] = c[i] * c[i - 1];
    for (int i = 0; i < n; i++) h[t + 1][i] = 0.5 * c[i] + h[t][n - 1 - i];
    int k = 0;
    while (c[k] > 0.9 && k < n - 1) { c[k] = c[k] * 0.5 * c[k + 1]; k = k + 1; }
    s += c[0];
  }
  for (int i = 0; i < n; i++) s += h[nt][i];
  return s;
}
