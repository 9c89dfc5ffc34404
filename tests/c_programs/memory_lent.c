// Memory that only callees use, one of them from its end on: the caller has no derivative of it, and hands over one of the same length.
//: head memory_lent(memory_lent)/(x)
//: result double
//: arg int n = 5
//: arg double x[5]
#include <stdlib.h>

static double pairs_of(int n, const double *x, double *first, double *second) {
  double sum = 0.0;
  for (int i = 0; i < n; i++) {
    first[i] = x[i] * x[i];
    second[i] = first[i] * x[i];
  }
  for (int i = 0; i < n; i++)
    sum += first[i] * second[n - 1 - i];
  return sum;
}

double memory_lent(int n, const double *x) {
  double *first = malloc(n * sizeof(double)), *second = malloc(n * sizeof(double));
  double sum = 0.0;
  for (int k = 0; k < 2; k++)
    sum += pairs_of(n - k, x + k, first, second);
  free(first);
  free(second);
  return sum;
}
