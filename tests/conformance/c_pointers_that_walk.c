// pointers that walk
// f/(x)
double f(int n, const double *x) {
  double s = 1.0;
  while (n--)
    s *= 1.0 + *x++;
  return s;
}
