// `goto`
// f/(x)
double f(int n, double x) {
  double s = x;
again:
  s = s * x + 1.0;
  if (--n > 0)
    goto again;
  return s;
}
