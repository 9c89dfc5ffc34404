//: head parts(parts,out)/(x)
//: result double
//: arg int n = 4
//: arg double x[8]
//: arg double out[4]
/* Arrays of which some parts have derivatives and others have not: by constants, by loops, by columns, in turn, under conditions, and one that is kept whole. */
#include <math.h>

static double norm(const double *v, int n) {
  double s = 0.0;
  for (int i = 0; i < n; i++)
    s += v[i] * v[i];
  return sqrt(s);
}

double parts(int n, const double *restrict x, double *restrict out);
double parts(int n, const double *restrict x, double *restrict out) {
  double t[5], a[40], u[16][3], w[8], keep[4], s = 0.0;
  t[0] = 0.5;
  t[1] = x[0] * x[1];
  t[2] = exp(t[0]);
  t[3] = t[1];
  t[3] = 2.0 * t[2];
  for (int i = 0; i < n; i++)
    a[i] = x[i] * t[1];
  for (int i = 20; i < 30; i++)
    a[i] = 0.1 * i + t[0];
  for (int i = 0; i < n; i++) {
    u[i][0] = x[i] * a[20 + 1];
    u[i][1] = 0.5 * i;
    u[i][2] = sin(u[i][1]) + t[3];
    for (int k = 0; k < i; k++)
      u[i][0] += u[k][2] * u[k][1] * x[k + 1];
    if (u[i][0] > 1.0)
      u[i][2] = u[i][2] * 1.25;
    out[i] = u[i][0] * u[i][2] * u[i][2] - a[i] * a[25];
    u[i][1] += u[i][2];
    s += u[i][1] * u[i][0];
  }
  w[0] = 1.0;
  w[1] = x[2];
  w[2] = w[0] * 3.0;
  w[3] = w[1] * w[2];
  s += norm(w, 4);
  keep[0] = 1.5;
  keep[1] = x[3];
  int rounds = 0;
  while (rounds < 3) {
    keep[0] = keep[0] * 1.1 + t[0];
    keep[1] = keep[1] * keep[0] + sin(keep[1]) * a[22];
    if (keep[1] > 50.0)
      break;
    rounds++;
  }
  t[4] = keep[1] + t[2];
  t[4] = t[4] * t[4];
  return s + t[4] * keep[0] + a[0];
}
