//: head wide_switch(wide_switch)/(x)
//: result double
//: arg int n = 9
//: arg double x[3]
static double op(int code, double a, double b) {
  switch (code) {
  case -1:
    return a - b;
  case 0:
  case 10:
    return a + b;
  case 1: {
    double r = a;
    if (r > b)
      return r * b;
    r += b;
    return r;
  }
  case 2:
    for (int i = 0; i < 3; i++) {
      if (i == 2)
        break;
      a *= b;
    }
    break;
  default:
    a = a / (1 + b * b);
  }
  return a;
}
double wide_switch(int n, const double *x) {
  double s = x[0];
  for (int i = 0; i < n; i++)
    s = op(i - 1, s, x[i % 3]) + op(i == 4 ? 10 : 77, x[1], s);
  return s;
}
