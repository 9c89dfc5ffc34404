// null tests of arguments
// f(y)/(x)
void f(const double *x, double *y, double *z) {
  *y = *x * *x;
  if (z)
    *z = *y;
}
