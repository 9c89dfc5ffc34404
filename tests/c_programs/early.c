//: head early(early,w)/(x)
//: result double
//: arg int n = 6
//: arg double limit = 1.1
//: arg double x[6]
//: arg double w[6]
//: run limit=0.1
//: run limit=100
//: run limit=-1
double early(int n, double limit, const double *x, double *w) {
  double s = 0.0;
  if (limit < 0)
    return x[0] * x[1];
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      s += x[i] * x[j] * 0.2;
      w[i] = s * x[j];
      if (s > limit)
        return s * s;
    }
    if (s > 50.0)
      break;
  }
  w[0] *= w[n - 1];
  return s + w[0];
}
