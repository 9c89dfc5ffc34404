#include <math.h>

/* A branch around a loop whose trip count depends on the data. */
void fragment(double *x, double y) {
  if (*x < y) {
    *x = *x * y;
    while (y < *x) {
      *x = sin(*x * y);
    }
  }
}
