// structures that functions make
// f/(x)
#include <stdlib.h>
struct vec { int n; double *data; };
static struct vec *made(int n) {
  struct vec *v = malloc(sizeof *v);
  v->n = n;
  v->data = malloc(n * sizeof *v->data);
  return v;
}
static void freed(struct vec *v) {
  free(v->data);
  free(v);
}
double f(int n, const double *x) {
  struct vec *v = made(n);
  double s = 0.0;
  for (int i = 0; i < n; i++)
    v->data[i] = x[i] * x[i];
  for (int i = 0; i < v->n; i++)
    s += v->data[i] * x[0];
  freed(v);
  return s;
}
