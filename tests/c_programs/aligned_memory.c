//: head aligned_memory(aligned_memory)/(x)
//: result double
//: arg int n = 4
//: arg double x[4] = 0.5:2
//: run n=0
//: run n=1
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Memory from the next address of an alignment on. */
#define UP(p, a) ((void *)(((uintptr_t)(p) + (a) - 1) & (~(uintptr_t)((a) - 1))))

double aligned_memory(int n, const double *x) {
  double *raw = malloc(sizeof(double) * (size_t)(2 * n + 8));
  double *b = (double *)((uintptr_t)(raw + 8 - 1) & (-(uintptr_t)(8 * 8)));
  double *g = b + n;
  double room[16];
  double *r = (double *)UP(room, 64), *q = r + 4;
  double s = 0.0;
  for (int i = 0; i < n; i++) {
    b[i] = x[i] * x[i];
    g[i] = b[i] * x[n - 1 - i];
    r[i] = g[i] + x[i];
    q[i] = r[i] * b[i];
  }
  for (int i = 0; i < n; i++)
    s += g[i] * g[i] + q[i] * r[n - 1 - i];
  free(raw);
  return s;
}
