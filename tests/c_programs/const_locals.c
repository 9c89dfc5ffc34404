//: head const_locals(const_locals)/(x)
//: result double
//: arg double x[2]
#include <math.h>
double const_locals(const double x[static 2]) {
  const double a = x[0], b = x[1] * 2;
  const int k = 3;
  register double r = 0;
  const double tab[3] = {a, b, a * b};
  double z[2] = {x[1]}, m[2][2] = {{a, b}, {1.0}};
  for (int i = 0; i < k; i++)
    r += tab[i] * pow(a, i) + z[i % 2] * m[i % 2][i / 2];
  return r;
}
