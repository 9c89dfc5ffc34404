//: head table(y)/(x,scale)
//: arg int n = 4
//: arg double x[4] = {-0.3,0.7,2.2,9.0}
//: arg double scale
//: arg out double y[4]
#define COUNT ((int)(sizeof grid / sizeof grid[0]))
static const double grid[] = {0.0, 0.5, 1.25, 2.0, 3.5};
static const double vals[5] = {1.0, 2.0, -1.0, 0.5, 4.0};
/* linear interpolation, constant outside */
static double look(double x) {
  int k;
  if (x <= grid[0])
    return vals[0];
  if (x >= grid[COUNT - 1])
    return vals[COUNT - 1];
  for (k = 1; grid[k] < x; k++)
    ;
  return vals[k - 1] + (vals[k] - vals[k - 1]) * (x - grid[k - 1]) / (grid[k] - grid[k - 1]);
}
void table(int n, const double *x, double scale, double *y) {
  for (int i = 0; i < n; ++i)
    y[i] = scale * look(x[i] * scale);
}
