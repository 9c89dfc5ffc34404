//: head index_over(y)/(x)
//: arg int n = 6
//: arg int perm[6] = {2,0,5,1,4,3}
//: arg double x[6]
//: arg double y[6]
void index_over(int n, int *perm, const double *x, double *y) {
  int k = 0;
  for (int i = 0; i < n; i++) {
    k = (7 * k + 3) % n;
    y[k] = x[perm[k]] * x[i];
    perm[i] = (perm[i] + k) % n;
    y[perm[i]] *= x[k];
    k = perm[k];
  }
}
