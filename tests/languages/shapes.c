/* Runs shapes.f90 and its derivatives, by the names that the compiler of either language gives them. */
#include <stdio.h>
#ifdef FROM_FORTRAN
#define shaped shaped_
#define shaped_d shaped_d_
#define shaped_b shaped_b_
#define hosted hosted_
#define hosted_d hosted_d_
#define hosted_b hosted_b_
#define moved moved_
#define moved_d moved_d_
#define moved_b moved_b_
#endif
void shaped(const int *, const int *, const double *, const double *, double *);
void shaped_d(const int *, const int *, const double *, const double *, const double *, const double *, double *, double *);
void shaped_b(const int *, const int *, const double *, double *, const double *, double *, double *, double *);
void hosted(const int *, const double *, double *);
void hosted_d(const int *, const double *, const double *, double *, double *);
void hosted_b(const int *, const double *, double *, double *, double *);
void moved(const int *, const double *, double *);
void moved_d(const int *, const double *, const double *, double *, double *);
void moved_b(const int *, const double *, double *, double *, double *);

static void show(const char *name, int n, const double *x) {
  printf("%s", name);
  for (int i = 0; i < n; i++)
    printf(" %.17g", x[i]);
  printf("\n");
}

int main(void) {
  for (int n = 2; n < 6; n++)
    for (int m = 2; m < 4; m++) {
      double x[5], xd[5], xb[5] = {0}, w[3], wd[3], wb[3] = {0}, y[5] = {0}, yd[5] = {0}, yb[5];
      for (int i = 0; i < 5; i++) {
        x[i] = 0.4 + 0.3 * i;
        xd[i] = 1 - 0.2 * i;
        yb[i] = 0.5 + i;
      }
      for (int i = 0; i < 3; i++) {
        w[i] = 1.1 - 0.25 * i;
        wd[i] = 0.3 * i;
      }
      shaped(&n, &m, x, w, y);
      show("shaped", n, y);
      shaped_d(&n, &m, x, xd, w, wd, y, yd);
      show("tangent", n, yd);
      shaped_b(&n, &m, x, xb, w, wb, y, yb);
      show("adjoint", n, xb);
      show("adjoint", m, wb);
      hosted(&n, x, y);
      show("hosted", 1, y);
      hosted_d(&n, x, xd, y, yd);
      show("tangent", 1, yd);
      yb[0] = 0.7;
      hosted_b(&n, x, xb, y, yb);
      show("adjoint", n, xb);
      moved(&n, x, y);
      show("moved", n, y);
      moved_d(&n, x, xd, y, yd);
      show("tangent", n, yd);
      for (int i = 0; i < 5; i++)
        yb[i] = 0.5 + i;
      moved_b(&n, x, xb, y, yb);
      show("adjoint", n, xb);
    }
  return 0;
}
