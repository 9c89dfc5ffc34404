//: head enum_switch(enum_switch)/(x)
//: result double
//: arg double x
enum sort { A, B, C };
static double one(enum sort k, double x) {
  double a;
  switch (k) {
  case A:
    return 0;
  case B:
    a = x * x;
    return a * a;
  case C:
  default:
    return x;
  }
}
double enum_switch(double x) { return one(A, x) + one(B, x) * one(C, x); }
