// `volatile` variables that others know
// f/(x)
void g(volatile double *);
double f(double x) {
  volatile double y = x * x;
  g(&y);
  return y * x;
}
