//: head absent(absent,y)/(x,w)
//: result double
//: arg int n = 5
//: arg int kind = 3
//: arg double x[5]
//: arg double w[5]
//: arg out double y[5]
//: run kind=0
//: run kind=1
//: run kind=2
#include <math.h>
#include <stddef.h>

/* Weights that may be absent, and results that nobody need ask for. */
static double energy(int n, const double *x, const double *w, double *grad, double *largest) {
  double s = 0.0, m = 0.0;
  if (!x || n == 0)
    return 0.0;
  for (int i = 0; i < n; i++) {
    double t = x[i] * x[i];
    if (w)
      t *= w[i];
    s += t * (w == 0 ? 1.0 : sin(w[i]));
    m = fmax(m, t);
    if (grad != NULL) {
      grad[i] = 2 * x[i];
      if (w && w[i] > 0.4)
        grad[i] *= w[i] * grad[i];
    }
  }
  if (NULL != largest)
    *largest = m * s;
  return s;
}

/* Hands them on, one of them under another name and from its second element. */
static double both(int n, const double *x, const double *w, double *grad) {
  const double *v = w;
  double m = 0.0, s = energy(n, x, v, grad, &m);
  if (v)
    s += energy(n - 1, x + 1, v + 1, (double *)0, NULL);
  return s * m;
}

double absent(int n, int kind, const double *x, const double *w, double *y) {
  double g[8], s = 0.0;
  for (int i = 0; i < n; i++)
    y[i] = w[i];
  switch (kind) {
  case 0:
    s = both(n, x, NULL, 0);
    break;
  case 1:
    s = both(n, x, w, NULL);
    break;
  case 2:
    s = both(n, x, 0, g);
    s *= g[n - 1];
    break;
  default:
    s = both(n, x, w, y);
    s += both(n, y, x, g);
    s *= g[0];
    s += energy(n, NULL, NULL, NULL, NULL);
  }
  return s;
}
