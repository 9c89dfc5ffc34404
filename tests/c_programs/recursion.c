//: head recursion(recursion)/(x)
//: result double
//: arg int n = 7
//: arg double x[7]
//: run n=1
//: run n=0
static double tree(int lo, int hi, const double *x) {
  if (hi - lo <= 0)
    return 1.0;
  if (hi - lo == 1)
    return x[lo];
  int mid = (lo + hi) / 2;
  double a = tree(lo, mid, x);
  double b = tree(mid, hi, x);
  return a > b ? a * b : a * a + b;
}
double recursion(int n, const double *x) { return tree(0, n, x); }
