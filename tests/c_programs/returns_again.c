//: head returns_again(returns_again)/(x)
//: result double
//: arg int n = 4
//: arg double limit = 2.0
//: arg double x[4]
//: run limit=0.3
//: run limit=0.9
//: run limit=100
/* Behind one place that may return there is another one, and more behind that. */
double returns_again(int n, double limit, const double *x) {
  double s = x[0];
  if (x[0] > limit) {
    if (x[1] > limit)
      return s * x[1];
    s *= 2;
  }
  for (int i = 0; i < n; i++) {
    s += x[i] * x[i];
    if (s > 1.5 * limit)
      return s * s;
  }
  s *= x[n - 1];
  for (int i = 0; i < n; i++) {
    if (i % 2) {
      if (s > limit)
        break;
      s += x[i];
    }
    if (s * x[i] > 3 * limit)
      break;
    s *= x[i];
  }
  return s;
}
