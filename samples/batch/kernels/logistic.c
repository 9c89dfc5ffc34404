#include <math.h>

/* Rounds of the logistic map, and their mean. */
static double step(double r, double x) { return r * x * (1 - x); }

double mean(double r, double x, int rounds) {
  double sum = 0;
  for (int i = 0; i < rounds; i++) {
    x = step(r, x);
    sum += x;
  }
  return sum / fmax(rounds, 1);
}
