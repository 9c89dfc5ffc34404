//: head asked_vectors(y)/(x)
//: arg double x[4]
//: arg out double y[3]
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
/* Structures behind parameters that are compared with null, as libraries do before anything else. */
typedef struct asked_vector {
  int dim;
  double at[4];
} asked_vector;

static double asked_product(const asked_vector *a, const asked_vector *b) {
  int i, n;
  double s = 0.0;
  if (a == (const asked_vector *)NULL || b == NULL)
    exit(2);
  n = a->dim < b->dim ? a->dim : b->dim;
  for (i = 0; i < n; i++)
    s += a->at[i] * b->at[i];
  return s;
}

static asked_vector *asked_scale(asked_vector *out, const asked_vector *a, double s) {
  int i;
  if (!out || !a) {
    fprintf(stderr, "no vector\n");
    exit(2);
  }
  out->dim = a->dim;
  for (i = 0; i < a->dim; i++)
    out->at[i] = s * a->at[i];
  return out;
}

void asked_vectors(const double *x, double *y) {
  asked_vector a = {4, {0.0}}, b = {3, {0.0}}, c;
  int i;
  for (i = 0; i < 4; i++) {
    a.at[i] = x[i] * x[3 - i];
    b.at[i] = x[i] * x[i];
  }
  y[0] = asked_product(&a, &b);
  y[1] = asked_product(asked_scale(&c, &a, x[1]), &b);
  y[2] = asked_scale(&c, &b, y[1])->at[2];
}
