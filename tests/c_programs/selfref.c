//: head selfref(x)/(x)
//: arg int n = 4
//: arg double x[4]
void selfref(int n, double *x) {
  int i, j;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      x[i] = x[j] * x[i];
  x[0] = x[0] * x[0] + x[0];
  x[1] *= x[1];
  x[2] += x[2] * x[1];
  x[3] = x[3];
}
