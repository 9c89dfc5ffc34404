/* Runs the kernel and its derivatives, by the names that the compiler of either language gives them. */
#include <stdio.h>
#ifdef FROM_FORTRAN
#define smooth __grid_MOD_smooth
#define smooth_b __grid_MOD_smooth_b
#define total __grid_MOD_total
#define mm mm_
#define mm_d mm_d_
#endif
void smooth(const int *, const int *, void *, void *, double *);
void smooth_b(const int *, const int *, void *, void *, void *, void *, double *, double *);
void mm(const int *, void *, void *, void *);
void mm_d(const int *, void *, void *, void *, void *, void *, void *);
extern double total;

static void show(const char *name, int n, const double *x) {
  printf("%s", name);
  for (int i = 0; i < n; i++)
    printf(" %.17g", x[i]);
  printf("\n");
}

int main(void) {
  for (int n = 1; n < 6; n++)
    for (int m = 1; m < 4; m++) {
      double u[20], v[15], ub[20] = {0}, vb[15], s = 0, sb = 0.7, c[25] = {0}, cd[25] = {0};
      for (int i = 0; i < 20; i++)
        u[i] = 0.3 * i - 2;
      for (int i = 0; i < 15; i++) {
        v[i] = 0.1 * i;
        vb[i] = 0.01 * i;
      }
      smooth(&n, &m, u, v, &s);
      show("s", 1, &s);
      show("v", n * m, v);
      show("total", 1, &total);
      smooth_b(&n, &m, u, ub, v, vb, &s, &sb);
      show("ub", n * (m + 1), ub);
      show("vb", n * m, vb);
      show("sb", 1, &sb);
      if (n < 4) {
        mm(&n, u, v, c);
        show("c", n * n, c);
        mm_d(&n, u, v, v, u, c, cd);
        show("cd", n * n, cd);
      }
    }
  return 0;
}
