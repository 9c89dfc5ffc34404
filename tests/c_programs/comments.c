//: head comments(comments)/(x)
//: result double
//: arg double x
// A comment before the function.
#include <math.h>

/* A block
   comment */
double comments(double x) {
  // first
  double y = sin(x); // after
  /* before the if */
  if (y > 0.0) { /* inside */
    y = y * y;
  } else {
    // else part
    y = -y;
  }
  return y; /* done */
}
