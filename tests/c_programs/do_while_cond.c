//: head do_while_cond(x)/(x)
//: arg int n = 3
//: arg double x[3]
void do_while_cond(int n, double *x) {
  int i = 0;
  double r;
  do {
    r = x[i] * 0.5;
    x[i] = r * x[(i + 1) % n];
  } while (++i < n && r > 0.01);
  for (i = 0; i < n && x[i] < 0.3; i++)
    x[i] += x[i] * x[i];
  while (i > 0 && (r = x[i - 1]) > 0.2) {
    x[i - 1] = r * r;
    i--;
  }
}
