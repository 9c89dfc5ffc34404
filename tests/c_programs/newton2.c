//: head newton2(x)/(p,x)
//: arg double p[2]
//: arg double x[2]
#include <math.h>
#include <string.h>
static void residual(const double x[2], const double p[2], double r[2], double J[2][2]) {
  r[0] = x[0] * x[0] + x[1] * x[1] - p[0] - 2;
  r[1] = exp(0.1 * x[0]) - x[1] * p[1];
  J[0][0] = 2 * x[0]; J[0][1] = 2 * x[1];
  J[1][0] = 0.1 * exp(0.1 * x[0]); J[1][1] = -p[1];
}
static int solve2(double A[2][2], double b[2]) {
  double det = A[0][0] * A[1][1] - A[0][1] * A[1][0];
  if (fabs(det) < 1e-14) return -1;
  double t[2];
  memcpy(t, b, sizeof t);
  b[0] = (A[1][1] * t[0] - A[0][1] * t[1]) / det;
  b[1] = (A[0][0] * t[1] - A[1][0] * t[0]) / det;
  return 0;
}
void newton2(const double p[2], double x[2]) {
  double r[2], J[2][2];
  for (int it = 0; it < 6; it++) {
    residual(x, p, r, J);
    if (solve2(J, r) != 0) break;
    double step = 0;
    for (int i = 0; i < 2; i++) {
      x[i] -= r[i];
      step = fmax(step, fabs(r[i]));
    }
    if (step < 1e-3) break;
  }
}
