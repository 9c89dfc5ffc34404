//: head recorded_in_branches(c)/(t)
//: arg double t
//: arg out double c[50]
#include <math.h>

/* What a loop of few iterations goes through is set in the arms of a switch: its records are those of one arm each. */
void recorded_in_branches(double t, double *c) {
  int i, j, last;
  double angle, factor;
  for (i = 0; i < 50; i++)
    c[i] = 0.0;
  for (i = 1; i <= 4; ++i) {
    switch (i) {
    case 1:
      angle = t;
      last = 4;
      factor = 1.5;
      break;
    case 2:
      angle = t * t;
      last = 3;
      factor = 0.5 - 0.25 * t;
      break;
    default:
      angle = sin(t);
      last = 6;
      factor = 1.0;
      break;
    }
    c[10 * i] = 1.0;
    c[10 * i + 1] = cos(angle) * factor;
    for (j = 2; j <= last; ++j)
      c[10 * i + j] = c[10 * i + j - 1] * c[10 * i + 1];
  }
}
