//: head swap_three/(c)
//: result double
//: arg int n = 6
//: arg double c
#include <math.h>
#include <stdlib.h>
/* leapfrog wave equation: three levels rotate */
double swap_three(int n, double c) {
  double *um = calloc(n, sizeof(double)), *u = calloc(n, sizeof(double)), *up = calloc(n, sizeof(double));
  for (int i = 0; i < n; i++) u[i] = um[i] = sin(c * i);
  for (int s = 0; s < 4; s++) {
    for (int i = 1; i < n - 1; i++)
      up[i] = 2 * u[i] - um[i] + c * c * (u[i + 1] - 2 * u[i] + u[i - 1]);
    double *tmp = um;
    um = u;
    u = up;
    up = tmp;
  }
  double s = 0;
  for (int i = 0; i < n; i++) s += u[i] * u[i];
  free(um); free(u); free(up);
  return s;
}
