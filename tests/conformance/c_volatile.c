// `volatile`
// f/(x)
double f(double x) {
  volatile double y = x * x;
  return y * x;
}
