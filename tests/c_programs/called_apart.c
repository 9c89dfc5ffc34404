//: head called_apart(x,y)/(x,y)
//: arg int n = 5
//: arg double x[5]
//: arg double y[5]
//: same y x
#include <math.h>
static double kept[5];

/* Its arguments are apart in all calls. */
static void packed(int n, const double *l, const double *x, double *out) {
  int at = 0;
  for (int i = 0; i < n; i++)
    out[i] = l[i] * x[i];
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++) {
      out[j] = out[j] + l[at % n] * x[i];
      at++;
    }
}

/* Its arguments are one array in some calls, two levels up. */
static void mixed(int n, const double *a, double *b) {
  for (int i = 0; i < n; i++) {
    double t = a[n - 1 - i];
    b[i] = t * a[i] + 0.5 * b[0];
  }
}

static void passed_on(int n, double *p, double *q) {
  mixed(n, p, q);
  for (int i = 1; i < n; i++)
    q[i] = sin(q[i]) * p[i - 1];
}

/* What it is handed is the variable that it also uses under its own name. */
static void by_name(int n, double *g) {
  for (int i = 0; i < n; i++) {
    g[i] = g[i] * kept[n - 1 - i];
    kept[i] = kept[i] + 0.25 * g[0] * g[i];
  }
}

static void far(int n, double *h) { by_name(n, h); }

/* Counts down and up again, by steps that are undone, and by others. */
static double counted(int n, const double *u) {
  int k = n - 1, step = n / 2;
  double s = 1;
  while (k > 0) {
    s = s * u[k] + 0.1;
    k -= 1;
  }
  for (int i = 0; i < n; i++) {
    s = s * (1.5 + u[k]);
    k = k + step;
    if (k >= n)
      k -= n;
    s = s + u[k] * u[i];
    k++;
    if (k >= n)
      k = 0;
  }
  return s;
}

void called_apart(int n, double *x, double *y) {
  double w[5], v[5];
  for (int i = 0; i < n; i++) {
    kept[i] = 0.5 + x[i] * x[i];
    w[i] = 0;
  }
  packed(n, x, y, w);
  packed(n, w, x, v);
  mixed(n, w, v);
  passed_on(n, x, y);
  far(n, kept);
  double c = counted(n, v);
  for (int i = 0; i < n; i++)
    x[i] = x[i] * c + kept[i] * v[i];
}
