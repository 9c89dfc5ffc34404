// scalars and loops
// f/(x)
double f(int n, double x) {
  double s = 0.0;
  for (int i = 0; i < n; i++)
    s += x * s + i;
  return s;
}
