//: head kahan(kahan)/(x)
//: result double
//: arg int n = 6
//: arg double x[6]
double kahan(int n, const double *x) {
  double sum = 0.0, c = 0.0;
  for (const double *p = x; p < x + n; p++) {
    double y = *p * *p - c;
    double t = sum + y;
    c = (t - sum) - y;
    sum = t;
  }
  return sum;
}
