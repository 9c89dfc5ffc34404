//: head side_effects(y)/(x,y)
//: arg int n = 4
//: arg double x[4]
//: arg double y[4]
static int calls_left = 3;
static double take(double *v, double by) {
  *v *= by;
  if (--calls_left < 0)
    return *v;
  return *v + by;
}
void side_effects(int n, const double *x, double *y) {
  double t = 1, u = 2;
  calls_left = 3;
  for (int i = 0; i < n; i++) {
    if (take(&t, x[i]) > 0.5 && take(&u, y[i]) > 1.0)
      y[i] += t * u;
    else
      y[i] -= u;
    double r = x[i] > 0.6 ? take(&t, x[i]) : take(&u, t);
    y[i] *= r;
    while (take(&u, 0.5) > 1.0)
      y[i] += u * 0.1;
  }
}
