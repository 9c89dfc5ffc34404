//: head mutual(y)/(x,y)
//: arg int n = 5
//: arg double x[5]
//: arg double y[5]
static void odd(int n, const double *x, double *y);
static void even(int n, const double *x, double *y) {
  if (n < 0)
    return;
  y[n] *= x[n];
  odd(n - 1, x, y);
  y[0] += y[n] * x[0];
}
static void odd(int n, const double *x, double *y) {
  if (n < 0)
    return;
  y[n] += x[n] * y[0];
  even(n - 1, x, y);
}
void mutual(int n, const double *x, double *y) { even(n - 1, x, y); }
