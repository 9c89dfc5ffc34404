//: head stencil1d(u)/(u,c)
//: arg int n = 7
//: arg int steps = 3
//: arg double c
//: arg double u[7]
//: run n=2
//: run steps=0
void stencil1d(int n, int steps, double c, double u[n]) {
  double v[n];
  for (int t = 0; t < steps; ++t) {
    for (int i = 1; i + 1 < n; ++i)
      v[i] = u[i] + c * u[i] * (u[i - 1] - 2 * u[i] + u[i + 1]);
    for (int i = 1; i + 1 < n; ++i)
      u[i] = v[i];
  }
}
