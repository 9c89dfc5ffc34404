//: head classified(classified)/(x)
//: result double
//: arg int n = 4
//: arg double x[4]
#include <math.h>
/* What the macros of math.h ask of numbers. */
double classified(int n, const double *x) {
  double s = 0.5;
  for (int i = 1; i < n; i++) {
    if (isunordered(x[i], s))
      return 0.0;
    if (islessgreater(x[i], x[i - 1]))
      s += x[i] * x[i - 1];
    s = isnormal(s) ? s * (1.0 + 0.1 * x[i]) : x[i];
    if (isgreater(s, 0.7) && !isnormal(0.0 * s))
      s -= 0.2 * x[i] * x[i];
  }
  return s;
}
