//: head file_constants(file_constants)/(x)
//: result double
//: arg double x
#include <math.h>
#include <float.h>
#include <stdbool.h>
#define SQR(x) ((x)*(x))
enum { N = 4, M = N * 2 };
static const double a = 2.0 * 3.0, minus = -(1.5 + 2);
static const double b = SQR(SQR(4294967296.0));
static const double third = (double)1 / 3;
static const double cutoff = 0.6931471805599453 * DBL_MAX_EXP / DBL_EPSILON;
static const double pick = sizeof(int) == 4 ? 1.25 : 2.5;
static const float half = 1.0f / 2;
static const int size = N * M - 3, shifted = 1 << 3, mask = ~0 & 15;
static const bool yes = !0 && N > 3;
static const double huge = HUGE_VAL, most = DBL_MAX, none = -HUGE_VAL;
static const double table[N] = {0.5, 6.0, -1, 2.25};
static double counter = 1.0 + 2.0;
static double outside = 3 * 0.5;
static const long big = 1000L * 1000;
static const unsigned u = 3u - 1u;
double file_constants(double x) {
  static const double inside = 3.0 * 2.0 + 1;
  static int k = N * 2;
  const double c = a * third;
  double s = x * a + minus * b * 1e-38 + third * half + pick * c + inside * k;
  if (x < cutoff && x < huge && x > none && x < most) s += x * x * size * shifted;
  for (int i = 0; i < N; i++) s += table[i] * sin(x * i) * counter * outside;
  return yes ? s * mask + big * 1e-6 * x + u : s;
}
