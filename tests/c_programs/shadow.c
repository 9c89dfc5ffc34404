//: head shadow(shadow)/(x)
//: result double
//: arg int n = 4
//: arg double x[4]
double shadow(int n, const double *x) {
  double t = 1, xb = 0, xd = 2, t1 = 0.5;
  for (int i = 0; i < n; i++) {
    double t = x[i] * xd;
    for (int i = 0; i < 2; i++) {
      double t = x[i];
      xb += t * t * t1;
    }
    xb *= t;
  }
  {
    int n = 2;
    t += x[n] * xb;
  }
  return t + xb;
}
