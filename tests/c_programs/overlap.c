//: head overlap(x,y)/(x,y)
//: arg int n = 5
//: arg double x[5]
//: arg double y[5]
//: same y x
void overlap(int n, double *x, double *y) {
  for (int i = 0; i < n; i++) {
    double t = x[i];
    y[i] = t * x[n - 1 - i];
    x[i] = y[i] * x[i] + y[0];
  }
}
