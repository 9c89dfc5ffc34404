//: head failing_makers(y)/(x)
//: arg int n = 3
//: arg double x[3] = {1.1, 1.7, 2.3}
//: arg out double y[3]

#include <stdio.h>
#include <stdlib.h>

/* Functions that give memory, or null where what they are asked for makes no sense. */
static double *fm_solved(int n, const double *a, const double *b) {
  double *s;
  size_t bytes = n * sizeof(double);
  int i;
  for (i = 0; i < n; i++) {
    if (a[i] == 0.0) {
      fprintf(stderr, "singular\n");
      return NULL;
    }
  }
  s = (double *)malloc(bytes);
  if (s == NULL) return NULL;
  for (i = 0; i < n; i++) s[i] = b[i] / a[i];
  return s;
}

static double *fm_twice(int n, const double *a) {
  double *b = (double *)malloc(n * sizeof(double)), *s;
  int i;
  if (n < 0) return NULL;
  for (i = 0; i < n; i++) b[i] = a[i] * a[i] + 1.0;
  s = fm_solved(n, a, b);
  free(b);
  return s;
}

void failing_makers(int n, const double *x, double *y) {
  double *s, *t;
  const size_t size = sizeof(double) * (size_t)n;
  double *c = malloc(size);
  int i;
  s = fm_twice(n, x);
  if (!s) exit(1);
  t = fm_solved(n, s, x);
  if (t == NULL) {
    fprintf(stderr, "nothing\n");
    exit(1);
  }
  for (i = 0; i < n; i++) c[i] = s[i] * t[i];
  for (i = 0; i < n; i++) y[i] = c[i] * s[i] + t[n - 1 - i];
  free(s);
  free(t);
  free(c);
}
