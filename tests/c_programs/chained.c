//: head chained(y)/(x,y)
//: arg double x[3]
//: arg double y[3]
void chained(const double *x, double *y) {
  double a, b, c;
  a = b = c = x[0] * x[1];
  a += b *= c -= x[2];
  y[0] = a, y[1] += b, y[2] *= (c += 1, a);
  y[0] = y[1] > y[2] ? (a = y[1], a * b) : (b = y[2], b * c);
  y[1] *= a + b;
}
