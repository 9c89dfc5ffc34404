//: head rkf(y)/(y,p)
//: arg double y[3]
//: arg double p[3]
//: arg double t1 = 0.3
/* Embedded Runge-Kutta with step control, tableau in tables. */
#include <math.h>
#include <string.h>
enum { DIM = 3, STAGES = 4 };
static const double A[STAGES][STAGES] = {{0}, {0.5}, {0, 0.75}, {2.0 / 9, 1.0 / 3, 4.0 / 9}};
static const double E[STAGES] = {-5.0 / 72, 1.0 / 12, 1.0 / 9, -1.0 / 8};
static void rhs(const double *y, const double *p, double *f) {
  f[0] = p[0] * (y[1] - y[0]);
  f[1] = y[0] * (p[1] - y[2]) - y[1];
  f[2] = y[0] * y[1] - p[2] * y[2];
}
static double step(const double *y, const double *p, double h, double *out) {
  double k[STAGES][DIM], w[DIM];
  for (int s = 0; s < STAGES; s++) {
    memcpy(w, y, sizeof w);
    for (int r = 0; r < s; r++)
      for (int i = 0; i < DIM; i++) w[i] += h * A[s][r] * k[r][i];
    rhs(w, p, k[s]);
  }
  memcpy(out, w, sizeof w);
  double err = 0;
  for (int i = 0; i < DIM; i++) {
    double e = 0;
    for (int s = 0; s < STAGES; s++) e += E[s] * k[s][i];
    err = fmax(err, fabs(h * e));
  }
  return err;
}
void rkf(double y[DIM], const double p[DIM], double t1) {
  double t = 0, h = 0.1, next[DIM];
  while (t < t1) {
    if (t + h > t1) h = t1 - t;
    double err = step(y, p, h, next);
    if (err > 1e-3) { h /= 2; continue; }
    t += h;
    for (double *a = y, *b = next; a != y + DIM; ++a, ++b) *a = *b;
    if (err < 1e-5) h *= 2;
  }
}
