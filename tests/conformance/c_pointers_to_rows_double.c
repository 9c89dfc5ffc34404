// pointers to rows (`double **`)
// f/(a)
double f(int n, double **a) {
  double s = 0.0;
  for (int i = 0; i < n; i++)
    s += a[i][i] * a[i][0];
  return s;
}
