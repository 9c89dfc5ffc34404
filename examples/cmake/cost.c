#include "scale.h"
#include <math.h>

double cost(int n, const double *x) {
  double s = 0.0;
  for (int i = 0; i < n; i++)
    s += SCALE * sin(x[i]);
  return s;
}
