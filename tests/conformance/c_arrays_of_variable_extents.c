// arrays of variable extents
// f/(x)
double f(int n, const double x[n]) {
  double w[n], s = 0.0;
  for (int i = 0; i < n; i++)
    w[i] = x[i] * x[i];
  for (int i = 0; i < n; i++)
    s += w[n - 1 - i] * x[i];
  return s;
}
