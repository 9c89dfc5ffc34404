//: head print_pass(print_pass)/(x)
//: result double
//: arg int n = 3
//: arg int verbose = 0
//: arg double x[3]
#include <stdio.h>
double print_pass(int n, int verbose, const double *x) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    if (verbose)
      printf("step %d of %d\n", i, n);
    s += x[i] * x[i];
  }
  return s;
}
