//: head whiles(x)/(x)
//: arg int n = 4
//: arg double x[4]
void whiles(int n, double *x) {
  int i = 0;
  do {
    int j = i;
    while (1) {
      x[j] *= x[i] + 0.5;
      if (++j >= n)
        break;
      if (j == 2)
        continue;
      x[j - 1] += x[j] * 0.25;
    }
    if (x[i] > 2)
      break;
    i++;
  } while (i < n && x[i] < 10.0);
  while (i-- > 0)
    x[i] += x[i] * x[n - 1];
  do
    x[0] *= x[1];
  while (0);
}
