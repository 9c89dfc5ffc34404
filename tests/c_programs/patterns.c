//: head patterns(y)/(x)
//: arg int n = 5
//: arg double a[5]
//: arg double x[5]
//: arg double y[5]
/* Helpers that are called with different arguments active. */
#include <math.h>

static double gain = 1.5;

/* The inner product of two vectors. */
static double dot(int n, const double *u, const double *v) {
  double s = 0.0;
  for (int i = 0; i < n; i++)
    s += u[i] * v[i];
  return s;
}

/* Sets its last argument, and changes what it is handed as the second. */
static void scale(int n, double *f, const double *u, double *v) {
  for (int i = 0; i < n; i++)
    v[i] = gain * *f * u[i];
  *f = *f * sin(*f);
}

static double norm(int n, const double *u) { return sqrt(dot(n, u, u) + 1.0); }

/* One level more: what is active in the callee follows from who calls. */
static double angle(int n, const double *u, const double *v) { return dot(n, u, v) / (norm(n, u) * norm(n, v)); }

/* Calls itself: has one derivative. */
static double power(double b, double e, int k) { return k == 0 ? e : b * power(b, e, k - 1); }

/* A variable of all keeps what it is set to. */
static void tune(double by) { gain = gain + 0.1 * by; }

void patterns(int n, const double *a, const double *x, double *y) {
  double t[5], r[5], w = 0.25, f = x[0];
  double fixed = dot(n, a, a);
  double linear = dot(n, a, x), again = dot(n, x, a), square = dot(n, x, x);
  gain = 1.5;
  tune(w);
  scale(n, &w, x, t);
  scale(n, &f, a, r);
  tune(x[1]);
  scale(n, &w, a, y);
  y[0] = y[0] * linear + again * square + fixed * w;
  y[1] = y[1] + angle(n, a, x) + angle(n, x, a) * angle(n, a, a);
  y[2] = y[2] + angle(n, t, r) * f;
  y[3] = y[3] + power(x[2], 2.0, 3) + power(0.5, x[3], 2);
  for (int i = 0; i < n; i++)
    y[4] += t[i] * r[i] * dot(n, t, a);
}
