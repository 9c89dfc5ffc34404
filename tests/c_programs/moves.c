//: head moves(y)/(x)
//: arg int n = 4
//: arg int d = 1
//: arg double x[8]
//: arg out double y[8]
//: run d=-1
//: run d=0
//: run n=0
#include <string.h>

/* May be handed stretches that overlap. */
static void shift(double *to, const double *from, int n) { memmove(to, from, n * sizeof *to); }

static void rows(double m[3][2], const double *x) {
  for (int i = 0; i < 6; i++)
    m[i / 2][i % 2] = x[i] * x[i];
  memmove(m + 1, m, 2 * sizeof *m);
  memcpy(m[0], m[2], sizeof m[0]);
  memmove(&m[1][0], &m[2][1], sizeof(double));
}

void moves(int n, int d, const double *x, double *y) {
  double a[8], m[3][2];
  memset(a, 0, sizeof a);
  memcpy(a, x, 4 * sizeof(double));
  memcpy(a + 4, &x[1], sizeof *x * 3);
  for (int i = 0; i < 8; i++)
    a[i] = a[i] * a[i] + x[7];
  memmove(a + 1, a, 5 * sizeof *a);
  memmove(a, a + 2, sizeof a - 2 * sizeof a[0]);
  memset(a + 6, 0, sizeof(a[0]) * 1);
  for (int i = 0; i < 8; i++)
    a[i] += x[i] * (i + 1);
  memmove(a + 2 + d, a + 2, (size_t)n * sizeof(double));
  shift(a + 1, a, n);
  shift(a, a + 1, n);
  memcpy(y, a, sizeof a);
  memset(&y[2], 0, n / 4 * sizeof *y);
  rows(m, x + 1);
  shift(m[1], m[0], 4);
  for (int i = 0; i < 6; i++)
    y[i] *= m[i / 2][i % 2];
}
