//: head global_const(y)/(x)
//: arg double x[3]
//: arg out double y[3]
static double coef[3] = {1.5, -2.0, 0.5};
static const double zero_point = 0.1;
static int shift = 1;
static double acc;
static void push(double v) { acc = acc * coef[shift] + v; }
void global_const(const double *x, double *y) {
  acc = zero_point;
  for (int i = 0; i < 3; i++) {
    push(x[i]);
    y[(i + shift) % 3] = acc * acc;
  }
}
