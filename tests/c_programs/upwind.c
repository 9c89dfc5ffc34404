//: head upwind(u)/(u,c)
//: arg int nx = 5
//: arg int ny = 4
//: arg double u[20]
//: arg double c[20] = -1:1
//: arg int steps = 3
#include <stdlib.h>
#include <string.h>
#define IDX(i, j) ((j) * nx + (i))
static inline double minmod(double a, double b) { return a * b <= 0 ? 0 : (a < 0 ? -a : a) < (b < 0 ? -b : b) ? a : b; }
void upwind(int nx, int ny, double *u, const double *c, int steps) {
  double *old = (double *)malloc((size_t)(nx * ny) * sizeof(double));
  if (old == NULL)
    abort();
  do {
    memcpy(old, u, (size_t)(nx * ny) * sizeof *u);
    for (int j = 0; j < ny; ++j) {
      for (int i = 0; i < nx; ++i) {
        int l = i == 0 ? nx - 1 : i - 1, r = (i + 1) % nx;
        double speed = c[IDX(i, j)], flux;
        if (speed > 0)
          flux = speed * (old[IDX(i, j)] - old[IDX(l, j)]);
        else
          flux = speed * (old[IDX(r, j)] - old[IDX(i, j)]);
        u[IDX(i, j)] = old[IDX(i, j)] - 0.2 * flux + 0.05 * minmod(old[IDX(i, j)] - old[IDX(l, j)], old[IDX(r, j)] - old[IDX(i, j)]);
      }
    }
  } while (--steps > 0);
  free(old);
}
