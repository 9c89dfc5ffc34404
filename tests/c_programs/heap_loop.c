//: head heap_loop(heap_loop)/(x)
//: result double
//: arg int n = 5
//: arg double x[5]
#include <stdlib.h>
double heap_loop(int n, const double *x) {
  double total = 0;
  for (int k = 1; k <= n; k++) {
    double *w = (double *)malloc(sizeof(double) * (size_t)k);
    int *mark = calloc((size_t)k, sizeof(int));
    if (!w || !mark)
      abort();
    for (int i = 0; i < k; i++) {
      w[i] = x[i] * x[k - 1];
      mark[i] = i % 2;
    }
    for (int i = 1; i < k; i++)
      w[i] *= w[i - 1] + mark[i];
    total += w[k - 1];
    free(mark);
    free(w);
  }
  return total;
}
