//: head horner(horner,d)/(c,x)
//: result double
//: arg int n = 4
//: arg double c[5]
//: arg double x
//: arg out double d[1]
//: run n=0
double horner(int n, const double *c, double x, double *d) {
  double p = c[n];
  *d = 0.0;
  while (n--) {
    *d = *d * x + p;
    p = p * x + c[n];
  }
  return p;
}
