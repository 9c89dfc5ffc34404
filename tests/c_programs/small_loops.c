//: head small_loops(small_loops,out)/(x,c)
//: result double
//: arg int n = 4
//: arg double x[12]
//: arg double c[3]
//: arg double out[4]
/* Loops of a few iterations over vectors and matrices of a few elements: nested, downward, in steps, under conditions, and with an index that is read behind them. */
#include <math.h>

double small_loops(int n, const double *restrict x, const double *restrict c, double *restrict out);
double small_loops(int n, const double *restrict x, const double *restrict c, double *restrict out) {
  double s = 0.0, m[3][3], state[4], w[2];
  int k;
  for (k = 0; k < 4; k++)
    state[k] = 0.25 * (k + 1);
  for (int i = 0; i < n; i++) {
    double d[3], q[3];
    for (k = 0; k < 3; k++)
      d[k] = x[3 * i + k] - c[k];
    s += 0.1 * k * d[k - 1];
    for (int a = 0; a < 3; a++) {
      q[a] = 0.0;
      for (int b = 2; b >= 0; b--) {
        m[a][b] = a == b ? cos(d[a]) : 0.2 * d[a] * d[b];
        q[a] += m[a][b] * d[2 - b];
      }
    }
    for (int a = 0; a < 3; a++) {
      if (q[a] > 0.3) {
        double t = q[a] * state[a];
        state[a] = t + sin(state[a + 1]);
      } else {
        state[a + 1] -= 0.1 * q[a];
      }
    }
    for (int a = 0; a < 4; a += 2)
      w[a / 2] = state[a] * state[a + 1];
    out[i] = w[0] * w[1] + q[i % 3];
    s += 1.0 / sqrt(1.0 + q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
  }
  for (int a = 0; a < 4; a++) {
    if (state[a] > 4.0)
      break;
    s += state[a] * a;
  }
  return s + k;
}
