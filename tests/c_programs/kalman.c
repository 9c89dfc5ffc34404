//: head kalman/(z,q,r)
//: result double
//: arg int n = 6
//: arg double z[6]
//: arg double q
//: arg double r
#include <math.h>
#include <string.h>
#define D 2
typedef double mat[D][D];
static void mul(mat a, mat b, mat c) {
  for (int i = 0; i < D; i++)
    for (int j = 0; j < D; j++) {
      double s = 0;
      for (int k = 0; k < D; k++)
        s += a[i][k] * b[k][j];
      c[i][j] = s;
    }
}
/* Log-likelihood of a constant-velocity model. */
double kalman(int n, const double *z, double q, double r) {
  mat f = {{1, 0.1}, {0, 1}}, ft = {{1, 0}, {0.1, 1}};
  mat p = {{1, 0}, {0, 1}}, t1, t2;
  double x[D] = {0, 0}, loglik = 0;
  for (int k = 0; k < n; k++) {
    double x0 = f[0][0] * x[0] + f[0][1] * x[1], x1 = f[1][0] * x[0] + f[1][1] * x[1];
    x[0] = x0, x[1] = x1;
    mul(f, p, t1);
    mul(t1, ft, t2);
    memcpy(p, t2, sizeof p);
    p[0][0] += q;
    p[1][1] += q;
    double y = z[k] - x[0], s = p[0][0] + r;
    double g[D] = {p[0][0] / s, p[1][0] / s};
    for (int i = 0; i < D; i++)
      x[i] += g[i] * y;
    mat np;
    for (int i = 0; i < D; i++)
      for (int j = 0; j < D; j++)
        np[i][j] = p[i][j] - g[i] * p[0][j];
    memcpy(p, np, sizeof np);
    loglik -= 0.5 * (log(s) + y * y / s);
  }
  return loglik;
}
