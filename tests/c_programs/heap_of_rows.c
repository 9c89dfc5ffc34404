//: head heap_of_rows(y)/(x)
//: arg int n = 4
//: arg int m = 3
//: arg double x[12]
//: arg out double y[4]
#include <math.h>
#include <stdlib.h>
#define K 2
/* Rows on the heap, by the number of their elements. */
void heap_of_rows(int n, int m, const double *x, double *y) {
  double (*r)[K] = malloc(sizeof(double) * n * K);
  double (*w)[m] = malloc(n * m * sizeof(double));
  double (*c)[2][3] = (double (*)[2][3])malloc((size_t)n * 2 * 3 * sizeof(double));
  for (int i = 0; i < n; i++) {
    double total = 0;
    for (int j = 0; j < m; j++)
      w[i][j] = exp(-x[i * m + j]);
    for (int k = 0; k < K; k++)
      total += r[i][k] = w[i][k] * w[i][(k + 1) % m];
    for (int k = 0; k < K; k++)
      for (int j = 0; j < 3; j++)
        c[i][k][j] = r[i][k] / total + j * w[i][j % m];
    y[i] = 0;
    for (int k = 0; k < K; k++)
      for (int j = 0; j < 3; j++)
        y[i] += c[i][k][j] * c[i][1 - k][2 - j];
  }
  free(r);
  free(w);
  free(c);
}
