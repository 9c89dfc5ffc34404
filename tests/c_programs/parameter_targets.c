//: head parameter_targets(a,b,c,y)/(a,b,c,s)
//: arg int n = 4
//: arg double a[8]
//: arg double b[8]
//: arg double c[8]
//: arg double s
//: arg out double y[3]
//: run n=1
//: run n=2
//: run n=3
#include <math.h>

static double pt_weighed(const double *w, const double *x, double s, int n) {
  const double ones[4] = {1.0, 1.0, 1.0, 1.0};
  static const double standard[4] = {0.5, 2.0, 0.25, 1.5};
  double sum = 0.0;
  if (!w)
    w = ones;
  if (n > 2)
    w = standard;
  else
    x = x + 1;
  for (int i = 0; i < 4; i++)
    sum += w[i] * x[i] * x[i] * s;
  return sum;
}

static void pt_walks(int n, double *a, double *b, double *c) {
  int k;
  for (k = 0; k < n; k++)
    *c++ = *a * *b++;
  a = b - n;
  for (k = 0; k < n; k++) {
    *a = *a * sin(*a);
    a++;
  }
  for (k = 0; k < 3; k++) {
    if (k == 1)
      a = c - 1;
    else
      a = b - 1;
    *a += *a * k;
  }
}

static void pt_turns(double *p, double *q, int n) {
  double t[3] = {0.5, 0.25, 0.125};
  for (int i = 0; i < n; i++) {
    p[0] = p[0] * p[1] + q[0];
    if (i == 1)
      p = t;
    else if (i == 2)
      p = q;
  }
  q[1] = t[0] * p[0];
}

/* Parameters that point into other arrays from some place on. */
void parameter_targets(int n, double *a, double *b, double *c, double s, double *y) {
  y[0] = pt_weighed(a, b, s, n) + pt_weighed(0, c, s * s, n);
  pt_walks(n, a, b, c);
  pt_turns(b, c, n);
  y[2] = 0.0;
  a = n > 2 ? a + 1 : c;
  for (int k = 0; k < 3; k++) {
    y[2] += a[k] * a[k] * s;
    if (k == 1)
      a = b;
  }
  y[1] = a[0] * y[2];
}
