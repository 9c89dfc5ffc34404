//: head raytrace(raytrace,d)/(o,d,sph)
//: result double
//: arg double o[3] = -0.2:0.2
//: arg double d[3] = 0.8:1
//: arg int n = 2
//: arg double sph[8] = 1.5:2
#include <float.h>
#include <math.h>
#include <stdbool.h>
static double dot3(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static void normalize(double v[3]) {
  double l = 1.0 / sqrt(dot3(v, v));
  v[0] *= l, v[1] *= l, v[2] *= l;
}
static bool hit(const double o[3], const double d[3], const double s[4], double *t) {
  double oc[3] = {o[0] - s[0], o[1] - s[1], o[2] - s[2]};
  double b = dot3(oc, d), c = dot3(oc, oc) - s[3] * s[3] * 0.3, h = b * b - c;
  if (h < 0)
    return false;
  *t = -b - sqrt(h);
  return *t > 1e-6;
}
double raytrace(const double o[3], double d[3], int n, const double *sph) {
  double best = DBL_MAX, t;
  int which = -1;
  normalize(d);
  for (int i = 0; i < n; i++)
    if (hit(o, d, &sph[4 * i], &t) && t < best) {
      best = t;
      which = i;
    }
  if (which < 0)
    return 0.25 * (d[1] + 1);
  double nrm[3];
  for (int c = 0; c < 3; c++)
    nrm[c] = o[c] + best * d[c] - sph[4 * which + c];
  normalize(nrm);
  return fmax(0, -dot3(nrm, d)) + 0.1 * best;
}
