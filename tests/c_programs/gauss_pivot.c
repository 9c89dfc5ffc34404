//: head gauss_pivot(a,b)/(a,b)
//: result int
//: arg int n = 3
//: arg double a[9]
//: arg double b[3]
#include <math.h>
#define A(i, j) a[(i) * n + (j)]
#define SWAP(x, y)                                                                                                                     \
  do {                                                                                                                                 \
    double swap_tmp = (x);                                                                                                             \
    (x) = (y);                                                                                                                         \
    (y) = swap_tmp;                                                                                                                    \
  } while (0)
int gauss_pivot(int n, double *a, double *b) {
  for (int c = 0; c < n; c++) {
    int piv = c;
    for (int r = c + 1; r < n; r++)
      if (fabs(A(r, c)) > fabs(A(piv, c)))
        piv = r;
    if (A(piv, c) == 0.0)
      return c + 1;
    if (piv != c) {
      for (int j = c; j < n; j++)
        SWAP(A(c, j), A(piv, j));
      SWAP(b[c], b[piv]);
    }
    for (int r = c + 1; r < n; r++) {
      double m = A(r, c) / A(c, c);
      for (int j = c; j < n; j++)
        A(r, j) -= m * A(c, j);
      b[r] -= m * b[c];
    }
  }
  for (int r = n; r-- > 0;) {
    for (int j = r + 1; j < n; j++)
      b[r] -= A(r, j) * b[j];
    b[r] /= A(r, r);
  }
  return 0;
}
