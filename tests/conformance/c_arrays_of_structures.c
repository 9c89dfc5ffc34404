// arrays of structures
// f/(b)
struct body { double x, mass; };
double f(int n, const struct body *b) {
  double s = 0.0;
  for (int i = 0; i < n; i++)
    s += b[i].mass * b[i].x * b[i].x;
  return s;
}
