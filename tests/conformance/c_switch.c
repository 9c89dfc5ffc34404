// `switch`
// f/(x)
double f(int k, double x) {
  switch (k) {
  case 0:
    return x;
  case 1:
    x = x * x;
  default:
    x = 2.0 * x;
  }
  return x * x;
}
