//: head scratch_calls(scratch_calls)/(x,y)
//: result double
//: arg double x
//: arg double y
/* Macros that keep their arguments in static variables, in functions of which one expression calls several. */
static double scratch_m1, scratch_m2, scratch_sq;
#define SCRATCH_LARGER(a, b) (scratch_m1 = (a), scratch_m2 = (b), (scratch_m1) > (scratch_m2) ? (scratch_m1) : (scratch_m2))
#define SCRATCH_SQUARE(a) ((scratch_sq = (a)) == 0.0 ? 0.0 : scratch_sq * scratch_sq)

static double scratch_first(double x, double y) { return SCRATCH_LARGER(SCRATCH_LARGER(x, y), x * y) * x; }

static double scratch_second(double x, double y) { return SCRATCH_SQUARE(x + y) * y + scratch_first(y, 0.5 * x); }

double scratch_calls(double x, double y) {
  double s = 0.0;
  for (int k = 1; k < 4; k++) {
    s += scratch_first(x * k, y) + scratch_second(y, x) * scratch_first(y, k * x);
  }
  return s - SCRATCH_SQUARE(x) * y;
}
