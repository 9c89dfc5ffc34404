// functions beside text that is not read
// f/(x)
int beside(int k) {
  __auto_type twice = 2 * k;
  return twice;
}
double f(const double x[3]) {
  return x[0] * x[1] + x[2];
}
