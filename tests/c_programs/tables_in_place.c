//: head tables_in_place(tables_in_place)/(a,b)
//: result double
//: arg int n = 4
//: arg int m = 5
//: arg double a[4]
//: arg double b[5]
//: run n=1, m=3
//: run n=3, m=1
#include <math.h>
#include <stdlib.h>
#define AT(i, j) ((i) * (m + 1) + (j))
/* Tables that are filled row by row, and a triangle that is summed up in place: some of it overwrites what was read, some does not. */
double tables_in_place(int n, int m, const double *a, const double *b) {
  double *t = malloc((n + 1) * (m + 1) * sizeof *t), tri[8][8];
  for (int i = 0; i <= n; i++)
    for (int j = 0; j <= m; j++)
      t[AT(i, j)] = 0.1 * (i + j);
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= m; j++)
      t[AT(i, j)] = sin(t[AT(i - 1, j)] * a[i - 1]) + t[AT(i, j - 1)] * t[AT(i - 1, j - 1)] * b[j - 1];
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j++)
      tri[i][j] = 0.1 * i + 0.2 * j;
  for (int i = 1; i <= n; i++)
    for (int j = 0; j < i; j++) {
      tri[i][j] += a[i - 1] * tri[j][j];
      tri[i][i] += tri[i][j] * tri[i][j];
      tri[j][i] = tri[i][i] * tri[i][j];
      tri[j][j + 1] *= b[j % m];
    }
  double s = t[AT(n, m)];
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j++)
      s += tri[i][j] * tri[i][j];
  free(t);
  return s;
}
