//: head globals(g,globals)/(g,h,x)
//: result double
//: arg double x[3]
//: global double g[3]
//: global double h
#include <math.h>
double g[3] = {1, 2, 3};
double h = 0.5;
static double work[3];
static int calls_made = 0;
static void advance(int k) {
  work[k] = g[k] * h;
  g[k] = sin(work[k]) + g[(k + 1) % 3];
  calls_made++;
}
double globals(const double *x) {
  double s = 0;
  calls_made = 0;
  for (int k = 0; k < 3; k++) {
    work[k] = 0;
    g[k] *= x[k];
    advance(k);
    s += work[k] * calls_made;
  }
  advance(1);
  return s + work[1];
}
