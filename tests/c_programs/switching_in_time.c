//: head switching_in_time(switching_in_time)/(x)
//: result double
//: arg int n = 6
//: arg int nt = 5
//: arg double x[6]
//: run n=3
//: run n=4
//: run nt=0
double switching_in_time(int n, int nt, const double x[n]) {
  double u[n], w[n], s = 0;
  for (int i = 0; i < n; i++) { u[i] = x[i]; w[i] = 0; }
  for (int t = 0; t < nt; t++) {
    if (u[1] > 0.5) {
      for (int i = 1; i < n - 1; i++) w[i] = u[i - 1] * u[i + 1];
      for (int i = 1; i < n - 1; i++) u[i] = w[i];
    } else {
      for (int i = 0; i < n; i++) w[i] = u[i] * u[i];
      u[1] = w[1] + 0.4;
    }
    if (t % 2 == 0)
      for (int i = 0; i < n; i++) u[i] = u[i] * w[i] + 0.1;
    s += u[2];
  }
  for (int i = 0; i < n; i++) s += u[i];
  return s;
}
