// complex numbers
// f/(x)
#include <complex.h>
double f(double x) {
  double _Complex z = x + 2.0 * I;
  return creal(z * z);
}
