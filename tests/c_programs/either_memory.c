//: head either_memory(either_memory)/(x)
//: result double
//: arg int n = 6
//: arg double x[6]
//: run n=3
//: run n=0
#include <math.h>
#include <stdlib.h>

enum { SMALL = 4 };

static double total(int n, const double *p) {
  double s = 0;
  for (int i = 0; i < n; i++)
    s += p[i] * p[i];
  return s;
}

/* A buffer on the stack where it is long enough. */
static double at_once(int n, const double *x) {
  double buffer[SMALL];
  double *w = n > SMALL ? malloc((size_t)n * sizeof *w) : buffer;
  double s = 0;
  for (int i = 0; i < n; i++)
    w[i] = sin(x[i]) * x[0];
  s = total(n, w);
  for (int i = 0; i < n; i++)
    s += w[i] * w[n - 1 - i];
  if (w != buffer)
    free(w);
  return s;
}

static double later(int n, const double *x) {
  double buffer[SMALL], *w, s = 1.0;
  if (n > SMALL) {
    w = malloc(n * sizeof(double));
    if (!w)
      exit(1);
  } else
    w = buffer;
  for (int i = 0; i < n; i++) {
    w[i] = x[i];
    if (i > 0)
      w[i] *= w[i - 1];
    s += w[i] * s;
  }
  if (n > SMALL)
    free(w);
  return s;
}

double either_memory(int n, const double *x) { return at_once(n, x) + later(n, x); }
