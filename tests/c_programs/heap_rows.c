//: head heap_rows(y)/(x,w)
//: arg int n = 4
//: arg int m = 3
//: arg double x[12]
//: arg double w[9]
//: arg out double y[3]
//: run n=1
#include <math.h>
#include <stdlib.h>
static void times(int n, int m, const double a[n][m], const double b[m][m], double c[n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      double s = 0;
      for (int k = 0; k < m; k++)
        s += a[i][k] * b[k][j];
      c[i][j] = tanh(s);
    }
}
static double norm(const double *row, int m) {
  double s = 1e-3;
  for (int j = 0; j < m; j++)
    s += row[j] * row[j];
  return sqrt(s);
}
/* Work matrices on the heap: rows of a length that is an argument, and rows of a fixed length. */
void heap_rows(int n, int m, double x[n][m], double w[m][m], double *y) {
  double (*h)[m] = malloc(sizeof(double[n][m]));
  double (*g)[m] = calloc((size_t)n, sizeof *g);
  double (*p)[2] = malloc((size_t)n * sizeof *p);
  if (!h || !g || !p)
    abort();
  times(n, m, (const double(*)[m])x, (const double(*)[m])w, h);
  times(n, m, (const double(*)[m])h, (const double(*)[m])w, g);
  for (int i = 0; i < n; i++) {
    p[i][0] = norm(g[i], m);
    p[i][1] = p[i][0] * h[i][0];
    g[i][m - 1] *= p[i][1];
  }
  for (int j = 0; j < m; j++) {
    y[j] = 0;
    for (int i = 0; i < n; i++)
      y[j] += g[i][j] * p[i][j % 2];
  }
  free(p);
  free(g);
  free(h);
}
