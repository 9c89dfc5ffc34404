// pointers to rows in structures
// product(c,norm)/(a,b)
#include <math.h>
typedef struct { int rows, cols; double **data; } matrix;
static void scale(matrix *m, int r, double f) {
  for (int j = 0; j < m->cols; j++)
    m->data[r][j] *= f;
}
void product(matrix a, matrix b, matrix *c, double *norm) {
  *norm = 1.0;
  for (int i = 0; i < a.rows; i++) {
    for (int j = 0; j < b.cols; j++) {
      c->data[i][j] = 0.0;
      for (int k = 0; k < a.cols; k++)
        c->data[i][j] += a.data[i][k] * b.data[k][j];
    }
    const double *row = c->data[i];
    *norm += sqrt(1.0 + row[0] * row[0]);
    scale(c, i, *norm);
  }
}
