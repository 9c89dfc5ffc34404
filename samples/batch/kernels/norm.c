#include <math.h>

/* The Euclidean norm. */
double norm(int n, const double x[]) {
  double s = 0;
  for (int i = 0; i < n; i++)
    s += x[i] * x[i];
  return sqrt(s);
}
