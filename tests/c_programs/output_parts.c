//: head output_parts(err,total)/(cams,x,w)
//: arg int n = 4
//: arg double cams[18]
//: arg double x[8]
//: arg double w[4]
//: arg double err[8]
//: arg double total[1]
//: run n=0
//: run n=1
#include <math.h>

/* Helpers that set a few elements through a pointer, change them in place, or add to what there is. */
static double output_parts_squares(int n, const double *v) {
  double s = 0;
  for (int i = 0; i < n; i++)
    s = s + v[i] * v[i];
  return s;
}

static void output_parts_turn(const double *a, const double *b, double *out) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

static void output_parts_distort(const double *r, double *p) {
  double q = output_parts_squares(2, p);
  double l = 1.0 + r[0] * q + r[1] * q * q;
  p[0] = p[0] * l;
  p[1] = p[1] * l;
}

static void output_parts_project(const double *cam, const double *at, double *p) {
  double from[3], turned[3];
  from[0] = at[0] - cam[3];
  from[1] = at[1] - cam[4];
  from[2] = 2.0 + 0.1 * at[0];
  output_parts_turn(cam, from, turned);
  p[0] = turned[0] / from[2];
  p[1] = sin(turned[1]);
  output_parts_distort(&cam[5], p);
  p[0] = p[0] * cam[7] + cam[8];
  p[1] = p[1] * p[0];
}

static void output_parts_one(const double *cam, const double *at, const double *w, double *e) {
  double p[2];
  output_parts_project(cam, at, p);
  e[0] = *w * (p[0] - 0.5);
  e[1] = *w * p[1] * p[0];
}

/* The part depends on an argument, and may be empty. */
static void output_parts_scale(int n, double f, double *v) {
  for (int i = 0; i < n; i++)
    v[i] = v[i] * v[i] + f;
}

void output_parts(int n, const double *cams, const double *x, const double *w, double *restrict err, double *restrict total) {
  for (int i = 0; i < n; i++) {
    int k = i % 2;
    output_parts_one(&cams[9 * k], &x[2 * i], &w[i], &err[2 * i]);
  }
  double s = *total;
  for (int i = 0; i < n; i++) {
    s += err[2 * i] * err[2 * i + 1];
    output_parts_scale(i - 1, 0.5 * w[0], &err[i]);
    output_parts_scale(2, s, err + 2 * i);
  }
  *total = s + output_parts_squares(2 * n, err);
}
