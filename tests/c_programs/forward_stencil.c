//: head forward_stencil(y)/(x,y)
//: arg int n = 7
//: arg double x[7]
//: arg double y[7]
//: run n=2
//: run n=3
//: run n=4
//: run n=5
/* Loops of the original that add to neighbours, and indices that are used behind them: what the forward sweep does is the original's. */
void forward_stencil(int n, const double x[restrict n], double y[restrict n]) {
  int i, j;
  for (i = 1; i < n - 1; i++) {
    y[i] += 2.0 * x[i];
    y[i + 1] += 3.0 * x[i];
  }
  y[i - 1] *= x[0] * y[i];
  for (j = n - 2; j >= 0; j--)
    y[j] *= x[j];
  y[j + 1] *= x[n - 1];
}
