//: head memory_from_functions(u,y)/(u,x,t)
//: arg int m = 4
//: arg double u[4]
//: arg double x[4]
//: arg double t
//: arg out double y[2]
//: run m=2
//: run m=3
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Each of these gives memory that its caller takes back. */
static double *mff_scaled(int n, const double x[], double a) {
  int i;
  double *y, s = 0.0;
  y = (double *)malloc(n * sizeof(double));
  if (!y) {
    fprintf(stderr, "no memory\n");
    exit(1);
  }
  for (i = 0; i < n; i++) {
    s += x[i];
    y[i] = a * x[i] + s * x[i];
  }
  return y;
}

static double *mff_copy(int n, const double *x) {
  double *c = malloc(n * sizeof(double));
  int i;
  for (i = 0; i < n; i++)
    c[i] = x[i];
  return c;
}

static double *mff_summed(int n, double *x, double a) {
  double *p = mff_scaled(n, x, a);
  for (int i = 1; i < n; i++)
    p[i] += p[i - 1] * p[i - 1];
  return p;
}

static double *mff_slope(double t, int m, double u[]) {
  double *r;
  r = malloc(m * sizeof(double));
  for (int i = 0; i < m; i++)
    r[i] = -u[i] * t + (i ? u[i - 1] : 0.0);
  return r;
}

static double *mff_step(double t0, int m, double u0[], double dt, double *f(double t, int m, double u[])) {
  double *f0, *f1;
  int i;
  double *u, *u1;
  f0 = f(t0, m, u0);
  u1 = (double *)malloc(m * sizeof(double));
  for (i = 0; i < m; i++)
    u1[i] = u0[i] + dt * f0[i] / 2.0;
  f1 = f(t0 + dt / 2.0, m, u1);
  u = (double *)malloc(m * sizeof(double));
  for (i = 0; i < m; i++)
    u[i] = u0[i] + dt * (f0[i] + f1[i]) / 2.0;
  free(f0);
  free(f1);
  free(u1);
  return u;
}

static double *mff_wrapped(int n, const double *x) {
  return mff_scaled(n, x, x[0]);
}

void memory_from_functions(int m, double *u, double *x, double t, double *y) {
  double *p = mff_summed(m, x, t), *q, r = 0.0;
  q = mff_copy(m, p);
  for (int k = 0; k < 3; k++) {
    double *w = mff_scaled(m - 1, x + 1, q[0]);
    q[0] = w[0] * 0.5 + w[m - 2];
    free(w);
  }
  free(p);
  p = mff_wrapped(m, x);
  for (int i = 0; i < m; i++)
    r += q[i] * sin(x[i]) * p[i];
  free(p);
  free(q);
  y[0] = r;
  for (int k = 0; k < 4; k++) {
    double *v = mff_step(t, m, u, 0.125, mff_slope);
    for (int i = 0; i < m; i++)
      u[i] = v[i];
    free(v);
    t = t + 0.125;
  }
  y[1] = u[0] * t;
}
