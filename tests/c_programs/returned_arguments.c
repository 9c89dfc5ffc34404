//: head returned_arguments(out,returned_arguments)/(v,axis)
//: result double
//: arg double v[3]
//: arg double axis[3]
//: arg out double out[3]
/* Functions that return an argument, as libraries of vectors have them: calls of them as statements, as arguments, as what is returned. */
#include <math.h>

static double *argument_set(double *out, double x, double y, double z) {
  out[0] = x;
  out[1] = y;
  out[2] = z;
  return out;
}

static double argument_dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double *argument_scale(double *out, const double *a, double s) {
  int i;
  for (i = 0; i < 3; i++)
    out[i] = s * a[i];
  return out;
}

static double *argument_cross(double *out, const double *a, const double *b) {
  return argument_set(out, a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]);
}

/* Two ways to the end. */
static double *argument_unit(double *out, const double *a) {
  double l = sqrt(argument_dot(a, a));
  if (l < 1e-12)
    return argument_set(out, 1.0, 0.0, 0.0);
  argument_scale(out, a, 1.0 / l);
  return out;
}

double returned_arguments(const double *v, const double *axis, double *out) {
  double k[3], c[3], u[3], w[3], angle = 0.7;
  const double *p;
  int i;
  argument_cross(c, argument_unit(k, axis), v);
  for (i = 0; i < 3; i++)
    out[i] = v[i] * cos(angle) + c[i] * sin(angle) + k[i] * argument_dot(k, v) * (1.0 - cos(angle));
  p = argument_scale(u, v, 2.0);
  angle = argument_dot(p, argument_unit(w, v));
  return angle + argument_unit(w, axis)[1];
}
