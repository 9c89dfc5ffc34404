//: head increments(y)/(x,y)
//: arg int n = 5
//: arg double x[5]
//: arg double y[5]
void increments(int n, const double *x, double *y) {
  int i = 0, k = 0, idx[5];
  for (i = 0; i < n; i++)
    idx[i] = (i * 3 + 1) % n;
  i = 0;
  while (i < n) {
    y[idx[i]] *= x[k++ % n];
    y[idx[i++]] += x[--k] * x[0];
    k++;
  }
  i = 0;
  y[i++] = x[1] * x[2];
  y[++i] *= x[3];
  i -= 2;
  y[3] = y[4] = x[0] * x[1];
  y[3]++;
  --y[4];
  k = (i = 2, i + 1);
  y[k] /= x[i] + 1;
  y[i] -= x[i] * (k = 1, x[0]);
  y[k]--;
}
