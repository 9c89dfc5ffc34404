//: head inlhdr(inlhdr)/(x)
//: result double
//: arg int n = 4
//: arg double x[4]
#include <math.h>
#if defined(USE_FAST) && USE_FAST
#define EXP(x) (1 + (x))
#else
#define EXP(x) exp(x)
#endif
#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define FOR_RANGE(i, n) for (int i = 0; i < (n); ++i)
#define DEFINE_NORM(name, body) static double CAT(norm_, name)(int n, const double *v) { double s = 0; FOR_RANGE(k, n) { const double a = v[k]; s += body; } return s; }
DEFINE_NORM(one, fabs(a))
DEFINE_NORM(two, a * a)
DEFINE_NORM(expo, EXP(a))
static inline double max3(double a, double b, double c) { return a > b ? (a > c ? a : c) : b > c ? b : c; }
double inlhdr(int n, const double *x)
{
    return max3(norm_one(n, x), sqrt(norm_two(n, x)), norm_expo(n, x) - n) + norm_two(n - 1, x + 1);
}
