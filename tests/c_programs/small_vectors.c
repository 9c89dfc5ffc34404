//: head small_vectors(small_vectors,out)/(x,c)
//: result double
//: arg int n = 4
//: arg double x[12]
//: arg double c[3]
//: arg double out[4]
/* Vectors and matrices of a few elements, all named by constants: set anew in each round, in part, under conditions, and carried along. */
#include <math.h>

double small_vectors(int n, const double *restrict x, const double *restrict c, double *restrict out);
double small_vectors(int n, const double *restrict x, const double *restrict c, double *restrict out) {
  double s = 0.0, d[3], r[2][2], state[2], w[3];
  int step[2];
  state[0] = c[0];
  state[1] = 1.0;
  step[0] = 1;
  step[1] = 2;
  w[0] = 1.0;
  w[1] = c[1];
  w[2] = 0.5;
  for (int i = 0; i < n; i++) {
    d[0] = x[3 * i] - c[0];
    d[1] = x[3 * i + step[0]] - c[1];
    d[2] = x[3 * i + step[1]] - c[2];
    r[0][0] = cos(d[0]);
    r[0][1] = -sin(d[0]);
    r[1][0] = sin(d[0]);
    r[1][1] = cos(d[0]);
    double u = r[0][0] * d[1] + r[0][1] * d[2];
    double v = r[1][0] * d[1] + r[1][1] * d[2];
    d[1] = u * v;
    if (d[1] > 0.2)
      w[1] = w[1] * d[1];
    else
      w[2] += d[2] * w[0];
    state[0] = state[0] * u + state[1];
    state[1] = sin(state[0]) * w[1] + v;
    out[i] = d[1] * state[1] + w[2];
    s += 1.0 / sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    int k = 0;
    while (k < step[1]) {
      d[2] = d[2] * 1.5 + state[0] * 0.01;
      k++;
    }
    s += d[2] * d[2];
  }
  return s + state[0] * state[1];
}
