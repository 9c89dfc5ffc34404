//: head brown(fvec)/(x)
//: arg int n = 5
//: arg double x[5]
//: arg out double fvec[5]
/* Brown almost-linear, broyden tridiagonal: minpack's style. */
void brown(int n, double x[], double fvec[]) {
  double sum = -(double)(n + 1), prod = 1.;
  int j, k, iev;
  for (j = 0; j < n; j++) {
    sum = sum + x[j];
    prod = x[j] * prod;
  }
  for (k = 0; k < n - 1; k++)
    fvec[k] = x[k] + sum;
  fvec[n - 1] = prod - 1.;
  iev = -1;
  for (k = 1; k <= n; k++) {
    double temp = (3. - 2. * x[k - 1]) * x[k - 1], temp1 = 0., temp2 = 0.;
    if (k != 1)
      temp1 = x[k - 2];
    if (k != n)
      temp2 = x[k];
    fvec[k - 1] += iev * (temp - temp1 - 2. * temp2 + 1.);
    iev = -iev;
  }
}
