//: head few_rounds(few_rounds)/(x)
//: result double
//: arg int n = 8
//: arg int m = 2
//: arg double x[12]
//: run n=3
//: run n=4 m=3
//: run n=2 m=3
//: run n=0 m=4
//: run n=11 m=0
//: run n=5 m=1
double few_rounds(int n, int m, const double x[12]) {
  double v[12], w[12], s = 0;
  for (int i = 0; i < 12; i++) { v[i] = x[i]; w[i] = 1.0; }
  for (int t = 0; t < 3; t++) {
    for (int i = m; i < n; i++) w[i] = v[i] * v[i + 1];
    for (int i = m; i < n; i++) v[i] = w[i];
    for (int i = 0; i < 12; i++) w[i] = w[i] * v[i];
    for (int i = m + 1; i < n - 1; i++) v[i] = w[i] * w[i + 1];
  }
  for (int i = 0; i < 12; i++) s += v[i] * w[i];
  return s;
}
