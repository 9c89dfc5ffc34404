//: head shared_increments(y)/(w,x,y)
//: arg int n = 6
//: arg double w = 0.75
//: arg double x[6]
//: arg double y[6]
/* Adjoints of both statements add to w and to the same elements of x, by scratch variables of the same names. */
void shared_increments(int n, double w, const double *restrict x, double *restrict y) {
  for (int i = 1; i < n; i++) {
    y[i] += w * (x[i] - x[i - 1]) * (x[i] + 2.0 * x[i - 1]);
    y[i - 1] += w * (x[i] + x[i - 1]) * (2.0 * x[i] - x[i - 1]);
  }
}
