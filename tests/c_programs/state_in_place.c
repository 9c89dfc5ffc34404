//: head state_in_place(out)/(u)
//: arg int n = 7
//: arg int nt = 3
//: arg double u[7]
//: arg double out[1]
//: run n=4
//: run n=2
//: run nt=0
void state_in_place(int n, int nt, double u[n], double out[1]) {
  double w[n];
  for (int i = 0; i < n; i++) w[i] = u[i];
  for (int t = 0; t < nt; t++) {
    for (int i = 2; i < n - 1; i++)
      w[i] = u[i] * u[i - 1] + 0.5 * u[i + 1] - 0.1 * u[i - 2];
    w[0] = u[1] * u[0];
    for (int i = 1; i < n; i++)
      u[i] = w[i];
  }
  double s = 0;
  for (int i = 0; i < n; i++) s += u[i] * w[i];
  out[0] = s;
}
