// global variables
// f/(x)
double scale = 2.0;
double f(double x) {
  scale = scale * x;
  return scale * x;
}
