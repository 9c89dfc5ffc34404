//: head printed_pointers(y)/(x)
//: loose
//: arg int n = 4
//: arg double x[4]
//: arg out double y[4]
#include <assert.h>
#include <stdio.h>
/* What is printed and asserted names pointers that derivative code does not have, and a function that is declared in the function alone. */
static int printed_odd(int k) { return k % 2; }

void printed_pointers(int n, const double *x, double *y) {
  int parity_told(int k), parity_denied(int k);
  double sqrt(double), half_of_told(double *p);
  const double *p = x;
  double *out = y;
  int i;
  for (i = 0; i < n; i++) {
    if (*p < -1e300)
      fprintf(stderr, "%g\n", *p);
    *out++ = *p * *p * (1 + parity_told(i) + printed_odd(i));
    p++;
  }
  y[0] += half_of_told(y + 1) * parity_denied(2) * sqrt(x[0]);
  assert(p - x == n && out - y == n);
}

int parity_told(int k) { return printed_odd(k); }

int parity_denied(int k) { return !printed_odd(k); }

double half_of_told(double *p) { return 0.5 * *p; }
