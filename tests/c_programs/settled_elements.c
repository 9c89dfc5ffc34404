//: head settled_elements(x,w)/(l,x,w)
//: arg int n = 5
//: arg double l[25]
//: arg double x[5]
//: arg double w[2]
/* Elements that stay the same through a loop: never another one that it names, perhaps one of them, and none at all where it has no iteration. */
void settled_elements(int n, const double *l, double *x, double *w) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      x[i] -= l[i * n + j] * x[j];
  for (int i = n - 1; i >= 0; i--)
    for (int j = 0; j <= i; j++)
      x[j] += 0.1 * l[j * n + i] * x[i];
  for (int i = 0; i <= n; i++)
    for (int j = i; j < n; j++)
      w[0] += x[j] * x[i] * l[j];
  for (int i = 1; i < n; i++)
    for (int j = 0; j < n; j++)
      if (x[j] > 0.5)
        x[i - 1] += w[1] * l[i * n + j];
      else
        w[1] -= 0.01 * x[i] * l[j * n + i];
}
