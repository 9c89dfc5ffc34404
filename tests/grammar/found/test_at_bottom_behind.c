/* head: f(y1,f)/(z0,x2) */
/* options: split */
/* A loop that computes nothing and is entered at its test, which stands at the bottom: what stands before it had no adjoint. */
double f(int n, const double *z0, float *y1, const float x2[]) {
  double res = 0.9;
  double t1 = x2[4] / (0.3);
  int k1;
  k1 = 0;
  goto test3;
  body2:;
  k1++;
  test3: if (k1 < n) goto body2;
  y1[0] = 0.5 * y1[0] + (res + t1);
  return res;
}
