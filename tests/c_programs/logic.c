//: head logic(logic)/(x)
//: result double
//: arg int n = 6
//: arg double x[6]
#include <stdbool.h>
static int positive(double v) { return v > 0.5; }
static bool both(double a, double b) { return positive(a) && positive(b); }
double logic(int n, const double *x) {
  double s = 1;
  int hits = 0;
  for (int i = 0; i + 1 < n; i++) {
    bool ok = both(x[i], x[i + 1]) || (x[i] < 0.3 && !positive(x[i + 1]));
    if (ok != (i % 2 == 0))
      s += x[i] * x[i + 1];
    else if (positive(s) && ++hits)
      s *= x[i];
    s += (double)ok * x[i] + hits;
  }
  return s;
}
