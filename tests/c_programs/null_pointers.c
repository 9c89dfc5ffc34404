//: head null_pointers(null_pointers)/(x)
//: result double
//: arg int n = 5
//: arg int cut = 3
//: arg double x[6]
//: run cut=0
//: run cut=1
//: run cut=2
//: run cut=7
#include <math.h>
#include <stdlib.h>

/* Pointers that have no target at times. */
static double chosen(int n, int cut, const double *x) {
  double table[4] = {1.0, 2.0, 3.0, 4.0}, other[2] = {0.5, 0.25};
  double *p = NULL, s = x[0];
  const double *q = NULL, *r = cut > 2 ? x : NULL;
  if (cut > 1)
    p = table;
  if (p)
    s += p[1] * x[1];
  for (int i = 0; i < n; i++) {
    if (q != NULL)
      s *= 1.0 + *q;
    q = i % 2 == cut % 2 ? &x[i] : NULL;
  }
  if (!r)
    r = other;
  if (q && r)
    s += *q * r[1];
  p = cut > 6 ? p : 0;
  return p == NULL ? s : s * p[2] * x[2];
}

/* Memory that is asked for where it is needed. */
static double needed(int n, int cut, const double *x) {
  double *w = NULL, s = 0.0;
  double *v = cut > 1 ? calloc((size_t)n, sizeof *v) : NULL;
  if (cut < n) {
    w = malloc((size_t)n * sizeof(double));
    if (!w)
      abort();
    for (int k = 0; k < n; k++)
      w[k] = x[k] * x[cut];
  }
  for (int i = cut; i < n; i++) {
    w[i] = sin(w[i]) * x[0];
    if (v)
      v[i] += w[i];
  }
  if (w)
    for (int i = 0; i < n; i++)
      s += w[i] * w[n - 1 - i];
  if (v != NULL && n > 0)
    s += v[n - 1];
  free(w);
  free(v);
  return s;
}

/* An argument that is taken away. */
static double taken(int n, const double *w, const double *x) {
  double s = 1.0;
  if (n < 3)
    w = NULL;
  for (int i = 0; i < n; i++)
    s += w ? w[i] * x[i] : x[i];
  return s;
}

double null_pointers(int n, int cut, const double *x) {
  return chosen(n, cut, x) + needed(n, cut, x) * taken(n, x, x) + taken(cut < 5 ? cut : 5, x + 1, x) + taken(n, 0, x);
}
