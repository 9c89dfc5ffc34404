//: head quaternion(v)/(q,v)
//: arg double q[4]
//: arg double v[3]
#include <math.h>
static void normalize(double q[4]) {
  double s = 0;
  int i;
  for (i = 0; i < 4; i++)
    s += q[i] * q[i];
  s = 1.0 / sqrt(s);
  for (i = 0; i < 4; i++)
    q[i] *= s;
}
static void cross(const double *a, const double *b, double *c) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}
void quaternion(const double *q, double *v) {
  double n[4], t[3], t2[3];
  for (int i = 0; i < 4; i++)
    n[i] = q[i];
  normalize(n);
  cross(n + 1, v, t);
  for (int i = 0; i < 3; i++)
    t[i] *= 2.0;
  cross(&n[1], t, t2);
  for (int i = 0; i < 3; i++)
    v[i] += n[0] * t[i] + t2[i];
}
