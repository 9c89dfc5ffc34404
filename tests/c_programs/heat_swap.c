//: head heat_swap/(u0,k)
//: result double
//: arg int n = 6
//: arg int steps = 3
//: arg double u0[6]
//: arg double k[6]
//: run steps=0
//: run steps=4 n=3
#include <math.h>
#include <stdlib.h>
#include <string.h>
static void step(int n, const double *restrict u, const double *restrict k, double *restrict v) {
  for (int i = 1; i < n - 1; i++)
    v[i] = u[i] + 0.1 * k[i] * (u[i - 1] - 2 * u[i] + u[i + 1]) * u[i];
  v[0] = v[1];
  v[n - 1] = v[n - 2];
}
/* Two fields that change their roles after each step. */
double heat_swap(int n, int steps, const double *u0, const double *k) {
  double *u = malloc((size_t)n * sizeof(double));
  double *next = malloc((size_t)n * sizeof(double));
  double *tmp;
  for (int i = 0; i < n; i++)
    u[i] = next[i] = u0[i];
  for (int s = 0; s < steps; s++) {
    step(n, u, k, next);
    tmp = u;
    u = next;
    next = tmp;
  }
  for (int s = 0; s < steps; s++) {
    for (int i = 1; i < n; i++)
      next[i] = sin(u[i]) * u[i - 1];
    double *t = next;
    next = u;
    u = t;
  }
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += u[i] * u[i] + next[i];
  free(u);
  free(next);
  return sum;
}
