//: head counted_down(counted_down,x,y)/(x,y)
//: result double
//: arg int n = 4
//: arg int m = 3
//: arg double x[4] = 0.1:0.4
//: arg double y[12]
//: run n=1 m=1
//: run n=3 m=4
/* Arguments that say how long arrays are, and are counted down. */
static void step(int k, double x[k]) {
  for (int i = 1; i < k; i++)
    x[i] = x[i] * x[i - 1] + x[i] * x[i];
}

double counted_down(int n, int m, double x[n], double y[n][m]) {
  double w[n], s = 0.1;
  for (int i = 0; i < n; i++)
    w[i] = x[i] * x[i];
  step(n, w);
  for (int i = 0; i < n; i++)
    w[i] *= x[i];
  while (n--) {
    int k = m;
    s += w[n] * w[n];
    if (n > 1)
      step(n, x);
    while (k--)
      y[n][k] = y[n][k] * s * x[n];
  }
  step(m, y[0]);
  for (; m > 0; --m)
    s = s * s + y[0][m - 1];
  return s;
}
