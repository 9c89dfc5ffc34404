//: head nbody(nbody,pos,vel)/(pos,vel,mass)
//: result double
//: arg int n = 3
//: arg int steps = 4
//: arg double dt = 0.05
//: arg double pos[9] = {0,0,0.1,2,0.5,0.2,-1,1.5,0.7}
//: arg double vel[9]
//: arg double mass[3]
//: run steps=0
#include <math.h>
#include <stdlib.h>
static double dist2(const double *a, const double *b) {
  double d = 1e-2;
  for (int c = 0; c < 3; ++c) {
    const double e = b[c] - a[c];
    d += e * e;
  }
  return d;
}
static void forces(int n, const double (*restrict x)[3], const double *restrict m, double (*restrict acc)[3]) {
  for (int i = 0; i < n; i++)
    acc[i][0] = acc[i][1] = acc[i][2] = 0.;
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++) {
      double r2 = dist2(x[i], x[j]), inv = 1 / (r2 * sqrt(r2));
      for (int c = 0; c < 3; c++) {
        double f = (x[j][c] - x[i][c]) * inv;
        acc[i][c] += m[j] * f;
        acc[j][c] -= m[i] * f;
      }
    }
}
double nbody(int n, int steps, double dt, double pos[][3], double vel[][3], const double mass[]) {
  double(*a)[3] = malloc(sizeof(double[3]) * (size_t)n);
  if (!a)
    return -1;
  for (int s = 0; s < steps; s++) {
    forces(n, (const double(*)[3])pos, mass, a);
    for (int i = 0; i < n; i++)
      for (int c = 0; c < 3; c++) {
        vel[i][c] += dt * a[i][c];
        pos[i][c] += dt * vel[i][c];
      }
  }
  double e = 0;
  for (int i = 0; i < n; i++) {
    double v2 = 0;
    for (int c = 0; c < 3; c++)
      v2 += vel[i][c] * vel[i][c];
    e += .5 * mass[i] * v2;
    for (int j = 0; j < i; j++)
      e -= mass[i] * mass[j] / sqrt(dist2(pos[i], pos[j]));
  }
  free(a);
  return e;
}
