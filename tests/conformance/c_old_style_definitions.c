// old-style definitions
// f/(x)
double f(n, x)
  int n;
  double x;
{
  return n * x * x;
}
