//: head arrays_of_structures(y)/(x)
//: arg int n = 3
//: arg double x[9]
//: arg out double y[3]

#include <stdlib.h>
#include <string.h>

/* Structures in arrays whose length is known where the function runs: on the stack, from malloc and from calloc, copied and cleared as stretches of memory. */
struct aos_inner { double w[2]; int kind; };
struct aos_body { double m, x[3]; struct aos_inner in; struct aos_body *next; };

static void aos_forces(int n, const struct aos_body *b, double *f) {
  int i, j, k;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      if (i != j)
        for (k = 0; k < 3; k++) f[i] += b[i].m * b[j].m * (b[i].x[k] - b[j].x[k]) * b[j].x[k];
}

void arrays_of_structures(int n, const double *x, double *y) {
  int i, k;
  struct aos_body v[n];
  struct aos_body *w = malloc(n * sizeof *w);
  struct aos_body *z = calloc(n + 1, sizeof(struct aos_body));
  if (!w || !z) abort();
  memset(v, 0, sizeof v);
  for (i = 0; i < n; i++) {
    v[i].m = x[i] * x[i];
    for (k = 0; k < 3; k++) v[i].x[k] = x[i + k * n] * v[i].m;
    v[i].in.w[0] = x[i];
    y[i] = v[i].in.w[1];
  }
  memcpy(w, v, n * sizeof *w);
  aos_forces(n, w, y);
  for (i = 0; i < n; i++) {
    w[i].m *= y[i] + w[i].in.w[0];
    w[i].in.w[1] = w[i].m * v[i].m;
    z[i + 1] = w[i];
    z[i + 1].m += z[i].m * x[0];
  }
  memcpy(z, w + 1, 2 * sizeof *z);
  aos_forces(n, z + 1, y);
  for (i = 0; i < n; i++) y[i] += z[i].in.w[1] * z[i].m;
  memset(z + 1, 0, (n - 1) * sizeof(*z));
  aos_forces(n, z, y);
  free(w);
  free(z);
}
