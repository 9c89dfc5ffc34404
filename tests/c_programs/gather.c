//: head gather(y)/(x,y)
//: arg int n = 5
//: arg int idx[5] = {3,1,4,1,0}
//: arg int pos[5] = {0,2,2,1,4}
//: arg double x[5]
//: arg double y[5]
void gather(int n, const int *idx, const int pos[], const double *x, double *y) {
  for (int i = 0; i < n; i++)
    y[pos[i]] += x[idx[i]] * y[idx[n - 1 - i]];
}
