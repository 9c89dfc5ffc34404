//: head rounds_called(y)/(x)
//: arg int n = 5
//: arg double x[5]
//: arg out double y[5]
#include <math.h>

/* Each iteration sets an element of its own, but what it calls reads all of them, as the iterations before and the loop before have left them. */
static double rounds_seen[5];

static void rounds_sum(int n, double *restrict s) {
  double t = 0.0;
  for (int j = 0; j < n; j++) t += rounds_seen[j] * rounds_seen[j];
  *s = sin(t) * t;
}

void rounds_called(int n, const double x[restrict 5], double y[restrict 5]) {
  for (int i = 0; i < 5; i++) rounds_seen[i] = x[i] * x[i];
  for (int i = 0; i < 5; i++) {
    double t = 0.3 * x[i];
    rounds_seen[i] = t * t + 0.1 * x[4 - i];
    rounds_sum(n, &y[i]);
  }
}
