//: head leapfrog(leapfrog)/(x,v,mass)
//: result double
//: arg int n = 3
//: arg int steps = 4
//: arg double x[3]
//: arg double v[3]
//: arg double mass[3] = 1:2
#include <stdlib.h>
static double energy(int n, const double *x, const double *v, const double *mass) {
  double e = 0;
  for (int i = 0; i < n; i++)
    e += 0.5 * mass[i] * v[i] * v[i] + 0.25 * x[i] * x[i] * x[i] * x[i];
  return e;
}
double leapfrog(int n, int steps, const double *x, const double *v, const double *mass) {
  const double dt = 0.05;
  double *q = malloc((size_t)n * sizeof *q), *p = malloc((size_t)n * sizeof(double));
  double e;
  for (int i = 0; i < n; i++) {
    q[i] = x[i];
    p[i] = v[i] - 0.5 * dt * x[i] * x[i] * x[i] / mass[i];
  }
  for (int s = 0; s < steps; s++) {
    for (int i = 0; i < n; i++)
      q[i] += dt * p[i];
    for (int i = 0; i < n; i++)
      p[i] -= dt * q[i] * q[i] * q[i] / mass[i];
  }
  e = energy(n, q, p, mass);
  free(p);
  free(q);
  return e;
}
