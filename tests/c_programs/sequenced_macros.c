//: head sequenced_macros(y)/(x)
//: arg double x[4]
//: arg out double y[3]
#include <math.h>
/* Macros that evaluate their arguments once, in variables of the file: what stands before a comma or a question mark is done before what stands behind. */
static double square_of, greatest_a, greatest_b, least_a, least_b;
#define SQUARE(a) ((square_of = (a)) == 0.0 ? 0.0 : square_of * square_of)
#define GREATEST(a, b) (greatest_a = (a), greatest_b = (b), (greatest_a) > (greatest_b) ? (greatest_a) : (greatest_b))
#define LEAST(a, b) (least_a = (a), least_b = (b), (least_a) < (least_b) ? (least_a) : (least_b))

void sequenced_macros(const double *x, double *y) {
  double most = GREATEST(GREATEST(x[0], x[1]), GREATEST(x[2], 2.0 * x[3]));
  y[0] = SQUARE(most);
  y[1] = SQUARE(SQUARE(x[0]));
  if (LEAST(LEAST(x[0], x[1]), x[2]) < 0.0 || LEAST(LEAST(x[0] + x[1], x[0] + x[2]), x[1] + x[2]) < 0.1 || GREATEST(x[0], x[3]) > 50.0)
    y[2] = most * x[1];
  else
    y[2] = sin(most) * x[2] + LEAST(x[0], 3.0);
}
