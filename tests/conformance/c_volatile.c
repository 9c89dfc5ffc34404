// `volatile` variables that only their function knows
// f/(x)
double f(double x) {
  volatile double y = x * x;
  y += x;
  return y * x;
}
