// Functions that are passed, with their data behind a pointer to void: they stand behind the functions that call them, and one may call through another one.
//: head quadrature(r)/(a,b)
//: arg double a
//: arg double b
//: arg int kind = 3
//: arg out double r[3]
#include <math.h>

typedef struct {
  double a, b;
} model;

typedef double (*integrand)(double x, const void *data);

static double panels(integrand f, double lo, double hi, int n, const void *data) {
  double h = (hi - lo) / (2 * n), s = f(lo, data) + f(hi, data);
  for (int i = 1; i < 2 * n; i++)
    s += (i % 2 ? 4.0 : 2.0) * f(lo + i * h, data);
  return s * h / 3.0;
}

static double twice(double (*f)(double), double x) { return (*f)(f(x)); }

static double newton(double (*f)(double), double (*df)(double), double x) {
  for (int i = 0; i < 3; i++)
    x -= f(x) / df(x);
  return x;
}

static double gauss(double x, const void *data) {
  const model *m = data;
  return m->a * exp(-m->b * x * x);
}

static double wave(double x, const void *data) {
  const model *m = (const model *)data;
  return sin(m->a * x) + m->b * x;
}

static double square(double x) { return x * x - 2.0; }
static double slope(double x) { return 2.0 * x; }
static double both(double x) { return twice(slope, x) + twice(square, 0.5 * x); }

void quadrature(double a, double b, int kind, double *r) {
  model m = {a, b};
  r[0] = panels(kind > 2 ? gauss : wave, 0.0, 1.5, 3, &m) + panels(&gauss, -1.0, 0.0, 2, &m);
  r[1] = newton(square, slope, 1.0 + a * a) * newton(sin, cos, 3.0 + 0.1 * sin(b));
  r[2] = twice(both, a * b);
}
