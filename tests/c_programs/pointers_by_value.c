//: head pointers_by_value(y)/(a,b)
//: arg double a[6]
//: arg double b[6]
//: arg out double y[4]
#include <math.h>
/* Structures of extents and a pointer that are passed by value, and what their pointers lead to is set. One that a function changes in itself is a copy. */
typedef struct grid {
  int rows, cols;
  double *data;
} grid;

static double grid_at(grid g, int i, int j) { return g.data[i * g.cols + j]; }

static void grid_multiply(grid a, const grid b, grid out) {
  for (int i = 0; i < a.rows; i++)
    for (int j = 0; j < b.cols; j++) {
      double s = 0.0;
      for (int k = 0; k < a.cols; k++)
        s += grid_at(a, i, k) * b.data[k * b.cols + j];
      out.data[i * out.cols + j] = s;
    }
}

static void grid_apply(const grid g, double by) {
  for (int i = 0; i < g.rows * g.cols; i++)
    g.data[i] = tanh(by * g.data[i]);
}

static double grid_sum(grid g) {
  double s = 0.0, *p = g.data;
  int n = g.rows * g.cols;
  while (n--)
    s += *p++;
  return s;
}

void pointers_by_value(double *a, double *b, double *y) {
  double w[4];
  grid x = {2, 3, a}, z = {3, 2, b}, product = {2, 2, w};
  grid_multiply(x, z, product);
  grid_apply(product, 0.3);
  y[0] = grid_at(product, 0, 1) * grid_sum(product);
  y[1] = grid_sum(x);
  y[2] = grid_at(product, 1, 1);
  y[3] = w[0] * w[2];
}
