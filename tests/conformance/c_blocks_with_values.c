// blocks with values (GNU C)
// f/(x)
#define LARGER(a, b) ({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); _a > _b ? _a : _b; })
double f(double x) {
  return x * LARGER(x * x, x - 1.0);
}
