// functions beside text that is not read
// f/(x)
int beside(int k) {
  __auto_type twice = 2 * k;
  return twice;
}
double f(const double x[3]) {
  _Alignas(32) double w[2] = {x[0], x[1]};
  return w[0] * w[1] + x[2];
}
