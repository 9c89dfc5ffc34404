// unions with active members
// f/(x)
union cell { double d; float s; };
double f(double x) {
  union cell c;
  c.d = x * x;
  return c.d;
}
