//: head helper_memory(helper_memory)/(x)
//: result double
//: arg int n = 5
//: arg double x[6]
//: run n=1
//: run n=3
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef double real;

/* Memory from helpers, as old books have it. */
static real *vector(int n) {
  real *v;
  v = (real *)malloc((size_t)n * sizeof(real));
  if (!v) {
    fprintf(stderr, "no memory\n");
    exit(1);
  }
  return v;
}

static double *zeros(int rows, int columns) { return calloc((size_t)(rows * columns), sizeof(double)); }

static int *order(long low, long high) {
  int *k = malloc((high - low + 1) * sizeof *k);
  if (NULL == k)
    abort();
  return k;
}

static void free_vector(real *v) { free(v); }


static void free_order(int *k) {
  if (k != NULL)
    free(k);
}

double helper_memory(int n, const double *x) {
  double small[3], s = 0;
  real *w = vector(n), *u = n > 3 ? vector(n + 1) : small;
  double *m;
  m = zeros(n, 2);
  int *k = order(1, n);
  for (int i = 0; i < n; i++) {
    w[i] = sin(x[i]);
    u[i] = w[i] * x[0];
    k[i] = n - 1 - i;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 2; j++)
      m[i * 2 + j] += w[k[i]] * u[i] + j;
  for (int i = 0; i < 2 * n; i++)
    s += m[i] * m[i];
  if (u != small)
    free_vector(u);
  free_order(k);
  free_vector(w);
  free(m);
  return s;
}
