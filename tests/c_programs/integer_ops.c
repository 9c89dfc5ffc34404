//: head integer_ops(integer_ops)/(x)
//: result double
//: arg int n = 8
//: arg double x[8]
#include <stdbool.h>
#include <stdint.h>
double integer_ops(int n, const double *x) {
  uint32_t h = 2166136261u;
  int64_t acc = 0;
  bool flip = false;
  double s = 1;
  for (int i = 0; i < n; i++) {
    h = (h ^ (uint32_t)i) * 16777619u;
    acc += h >> 28;
    flip = !flip;
    s *= x[(acc + i) % n] + (flip ? 1.0 : x[h % 8u]);
    s += x[i & 3] * (double)(~i & 1) / (i % 3 + 1) + (i << 1) * 0.01;
    s -= (5 / 2) * x[i] - (char)(300 & 0x7f) * 0.001 + (-7 % 3);
  }
  return s;
}
