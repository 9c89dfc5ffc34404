//: head ring(y)/(x)
//: arg int n = 8
//: arg double x[8]
//: arg out double y[8]
#define W 3
void ring(int n, const double *x, double *y) {
  double buf[W] = {0.0, 0.0, 0.0}, sum = 0.0;
  int head = 0;
  for (int i = 0; i < n; i++) {
    sum -= buf[head];
    buf[head] = x[i] * x[i];
    sum += buf[head];
    head = (head + 1) % W;
    y[i] = sum / (i < W ? i + 1 : W);
  }
}
