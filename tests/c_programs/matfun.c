//: head matfun(matfun)/(a)
//: result double
//: arg double a[9]
#define N 3
typedef double mat[N][N];
static const mat eye = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static void mul(mat a, mat b, mat c) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      c[i][j] = 0;
      for (int k = 0; k < N; k++)
        c[i][j] += a[i][k] * b[k][j];
    }
}
/* trace of the truncated exponential series */
double matfun(mat a) {
  mat term, next, sum;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      term[i][j] = sum[i][j] = eye[i][j];
  for (int n = 1; n < 6; n++) {
    mul(term, a, next);
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) {
        term[i][j] = next[i][j] / n;
        sum[i][j] += term[i][j];
      }
  }
  return sum[0][0] + sum[1][1] + sum[2][2];
}
