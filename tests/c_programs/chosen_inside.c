//: head chosen_inside(y)/(p,q)
//: arg int n = 4
//: arg double p[4]
//: arg double q[4]
//: arg out double y[4]
#include <math.h>
static void step(int n, const double *from, double *to, double h) {
  for (int i = 0; i < n; i++)
    to[i] = from[i] + h * sin(from[(i + 1) % n]) * to[i];
}
static double norm(int n, const double *v) {
  double s = 0;
  for (int i = 0; i < n; i++)
    s += v[i] * v[i];
  return s;
}
static double pick(int k, const double *a, const double *b) {
  return (k % 2 ? a : b)[k] * *(k > 1 ? a : b + 1);
}
/* Pointers that conditions choose where they are used. */
void chosen_inside(int n, const double *p, const double *q, double *y) {
  double a[8], b[8], s = 0;
  for (int i = 0; i < n; i++) {
    a[i] = p[i];
    b[i] = q[i];
  }
  for (int t = 0; t < 5; t++) {
    step(n, t % 2 == 0 ? a : b, t % 2 == 0 ? b : a, 0.1 * t + 0.1);
    s += norm(n, t < 2 ? a : b);
  }
  for (int i = 0; i < n; i++) {
    y[i] = pick(i, a, b) + (norm(n, a) > norm(n, b) ? a[i] : b[i]);
    y[i] += (i < 2 ? p : q)[i] * s;
  }
}
