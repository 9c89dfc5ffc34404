//: head compared_functions(compared_functions)/(x)
//: result double
//: arg int k = 1
//: arg double x
//: run k=0
//: run k=2
//: run k=3
/* Functions that are given by others, and pointers to them that are compared with functions and with null. */
typedef double (*of_one)(double);
static double doubled(double x) { return 2.0 * x * x; }
static double tripled(double x) { return 3.0 * x * x * x; }
static double (*chosen_of(int k))(double) {
  if (k == 0)
    return doubled;
  return k == 1 ? tripled : (of_one)0;
}

double compared_functions(int k, double x) {
  double (*f)(double) = chosen_of(k);
  double s = x;
  if (f == doubled)
    s += 4.0 * x * x;
  if (f && *f == tripled)
    s *= x;
  if (f != (of_one)0)
    s += f(x);
  if (!f)
    s *= s;
  if (f == &tripled || k > 2)
    s += x * s;
  return s;
}
