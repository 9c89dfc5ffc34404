//: head handed_twice(y)/(a,b)
//: arg int n = 5
//: arg double a[5]
//: arg double b[5]
//: arg out double y[3]
//: run n=1
static double product(int n, const double *restrict x, const double *restrict y) {
  double s = 0;
  for (int i = 0; i < n; i++)
    s += x[i] * y[i] * y[i];
  return s;
}
static void pair(int n, const double *u, const double *v, double *r) {
  r[0] = product(n, u, v);
  r[1] = product(n - 1, u, v + 1);
}
/* What is only read may be handed over twice in spite of restrict; both adjoints are written. */
void handed_twice(int n, const double *a, const double *b, double *y) {
  pair(n, a, a, y);
  y[2] = y[0] * y[1];
  pair(n, a, b, y);
  y[2] += product(n, b, b) + product(n - 1, b, b + 1);
}
