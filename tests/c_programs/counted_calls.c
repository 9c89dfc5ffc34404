//: head counted_calls(counted_calls)/(x)
//: result double
//: arg double x
static int evals;
static double f(double x) {
  evals++;
  return x * x * x;
}
static double half(double *p) { return *p /= 2; }
double counted_calls(double x) {
  double w = f(x) + f(2 * x);
  w = half(&w) + x;
  return w * f(w) + f(x);
}
