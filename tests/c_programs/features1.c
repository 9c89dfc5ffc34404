//: head features1(y)/(x)
//: arg int n = 4
//: arg double x[4]
//: arg out double y[4]
#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#define SQUARE(a) ((a) * (a))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
enum { ORDER = 3 };
static const double coef[ORDER + 1] = {[0] = 1.0, [2] = 0.5, [3] = -0.25};
static inline double poly(double t) {
  double r = 0;
  for (int8_t k = ORDER; k >= 0; k--)
    r = r * t + coef[k];
  return r;
}
void features1(int n, const double *x, double *y) {
  assert(n >= 0);
  size_t m = (size_t)n;
  _Bool odd = false;
  uint16_t count = 0;
  double *w = malloc(m * sizeof *w);
  if (w == NULL)
    goto fail;
  for (size_t i = 0; i < m; ++i) {
    w[i] = odd ? SQUARE(x[i]) : MAX(x[i], 0.5 * x[0]);
    odd = !odd;
    ++count;
  }
  double buf[8];
  for (size_t i = 0; i < m; i++)
    buf[i] = poly(w[i]) * pow(x[i], 3) + fmod(x[i], 0.3) + fmod(x[i], 0.25);
  const double *p = buf, *end = buf + m;
  double *q = y;
  while (p < end)
    *q++ = *p++ * 2;
  y[0] += ldexp(x[0], 3) + (double)count * hypot(x[1 % n], 1.0);
  free(w);
  return;
fail:
  fprintf(stderr, "out of memory\n");
  abort();
}
