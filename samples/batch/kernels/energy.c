/* The energy of a chain of masses. */
double energy(const double *x, int n) {
  double e = 0;
  for (int i = 0; i + 1 < n; i++) {
    double d = x[i + 1] - x[i];
    e += 0.5 * d * d;
  }
  return e;
}
