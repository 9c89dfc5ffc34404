// `long double`
// f/(x)
double f(double x) {
  long double s = x;
  s = s * s * x;
  return (double)s;
}
