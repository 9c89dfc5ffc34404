//: head lagrange/(t,x,y)
//: result double
//: arg int n = 4
//: arg double t
//: arg double x[4] = {0.3, 1.1, 1.9, 2.6}
//: arg double y[4]
double lagrange(int n, double t, const double *x, const double *y) {
  double sum = 0.0;
  for (const double *xi = x; xi < x + n; xi++) {
    double l = 1.0;
    for (const double *xj = x; xj < x + n; xj++) {
      if (xi == xj)
        continue;
      l *= (t - *xj) / (*xi - *xj);
    }
    sum += l * y[xi - x];
  }
  return sum;
}
