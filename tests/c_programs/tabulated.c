// Constant tables of structures, designators, members of members.
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

#define TERMS ((int)(sizeof terms / sizeof *terms))

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
