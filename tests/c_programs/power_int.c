//: head power_int(power_int)/(x)
//: result double
//: arg double x
//: arg int p = 11
//: run p=0
//: run p=1
double power_int(double x, int p);
double power_int(double x, int p) {
  double r = 1.0;
  while (p) {
    if (p & 1)
      r *= x;
    x *= x;
    p >>= 1;
  }
  return r;
}
