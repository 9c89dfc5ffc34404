//: head unsigned_loops(y)/(x,y)
//: arg int n = 5
//: arg int m = 2
//: arg double x[6]
//: arg double y[6]
//: run n=0
//: run n=1
//: run n=1 m=5
#include <stddef.h>
#include <stdint.h>
static void inner(size_t n, unsigned k, const double *x, double *y) {
  for (size_t i = 0; i < n; i++)
    y[i] *= x[i];
  for (size_t i = k; i < n; i += 2)
    y[i] += x[i] * y[i];
  for (long i = 0; i < k; i++)
    y[i] *= y[i];
  for (long i = 5; i < (unsigned)n; i += 3)
    y[i] += x[i] * y[i];
  for (size_t i = n; i > 0; i--)
    y[i - 1] += x[i - 1] * y[i - 1];
  for (size_t i = n; i-- > 0;)
    y[i] *= x[i] * 2;
  for (uint32_t i = 0ul; i + 1 < n; i++)
    y[i] *= y[i + 1];
  for (unsigned char c = 0; c < 2; c++)
    y[c] *= x[c];
}
void unsigned_loops(int n, int m, const double *x, double *y) { inner((size_t)n, (unsigned)m, x, y); }
