//: head restrict_all(y)/(x,a)
//: arg int n = 4
//: arg double a
//: arg double x[4]
//: arg out double y[4]
void restrict_all(int n, double a, const double *restrict x, double *restrict y) {
  for (int i = 0; i < n; i++) {
    double t = a * x[i];
    y[i] = t * t + y[i] * 0.0;
    y[i] = t / (1 + y[i]);
  }
}
