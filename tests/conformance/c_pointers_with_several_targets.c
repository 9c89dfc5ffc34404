// pointers with several targets
// f/(x)
double f(double x) {
  double a[3] = {x, x * x, 1.0}, b[2] = {2.0 * x, x};
  const double *p;
  double s = 0.0;
  if (x > 0.5)
    p = a;
  else
    p = b;
  s += p[0] * p[1];
  p = &a[1];
  s *= p[0] + p[1];
  return s;
}
