// Constant tables of structures, parameters behind a pointer to void, unions, bit-fields and members of members, all without derivatives.
//: head tabulated(y)/(x)
//: arg double x[3]
//: arg out double y[3]
//: arg int n = 3
#include <math.h>

static const struct term {
  int power;
  double factor;
  struct { double shift, width; } window;
} terms[] = {{1, 0.5, {0.1, 2.0}}, {2, -0.25, {.width = 3.0}}, {.window.shift = 0.3, .factor = 1.5, .window.width = 1.0}};

enum { TERMS = sizeof terms / sizeof *terms };

typedef struct {
  int n;
  double rate;
  union { int whole; long wide; } kind;
  unsigned first : 3;
  const char *name;
} *Settings;

static int values(const double *x, double *y, void *user_data) {
  Settings s;
  static const struct { int lag; double w[2]; } filter[2] = {{0, 0.75, 0.25}, [1] = {.lag = 1, .w = {0.5, 0.5}}};
  s = (Settings)user_data;
  for (int i = 0; i < s->n; i++) {
    y[i] = 0.0;
    for (int k = s->first; k < TERMS; k++) {
      const struct term *t = &terms[k];
      y[i] += t->factor * pow(x[i], t->power) * exp(-(x[i] - t->window.shift) / t->window.width);
    }
    for (int k = 0; k < (int)(sizeof filter / sizeof filter[0]); k++)
      y[i] += s->rate * filter[k].w[1] * sin(x[(i + filter[k].lag) % s->n] * filter[k].w[0]);
    if (s->kind.whole == 1)
      y[i] *= 2.0;
  }
  return 0;
}

void tabulated(const double *x, double *y, int n) {
  struct { int n; double rate; } own = {n, 0.7};
  double half[3];
  for (int i = 0; i < own.n; i++)
    half[i] = own.rate * x[i] * x[i];
  for (int i = 0; i < n; i++)
    y[i] = half[i];
  for (int k = 0; k < TERMS; k++)
    y[k % n] += terms[k].factor * sin(x[k % n] + terms[k].window.shift);
}
