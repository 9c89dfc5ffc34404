//: head triangular(b)/(l,b)
//: arg int n = 4
//: arg double l[10] = 0.5:1.5
//: arg double b[4]
void triangular(int n, const double *l, double *b) {
  int row = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++)
      b[i] -= l[row + j] * b[j];
    b[i] /= l[row + i];
    row += i + 1;
  }
}
