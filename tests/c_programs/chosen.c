//: head chosen(y)/(x)
//: arg int k = 5
//: arg int s = 1
//: arg int how = 98
//: arg double x[3]
//: arg double y[3]
#include <math.h>

enum form { LINEAR, SQUARE = 4, CUBE };
typedef enum { FAST, SLOW, LAST = SLOW } speed_t;
typedef enum form form_t;

static double weight(speed_t s) {
  switch (s) {
  case FAST:
    return 1.0;
  case SLOW:
    return 2.5;
  }
  return 3.0;
}

/* Selectors of several types, and names of types that only the function knows. */
void chosen(form_t k, speed_t s, int how, const double *restrict x, double *restrict y) {
  const char letter = (char)how;
  typedef double real;
  enum place { FIRST, SECOND, THIRD };
  for (enum place at = FIRST; at <= THIRD; at++) {
    typedef float small;
    real u = x[at];
    switch (k) {
    case LINEAR:
      break;
    case SQUARE:
    case CUBE:
      u = u * u;
      if (k == CUBE)
        u *= x[at];
      break;
    }
    switch (letter) {
    case 'a':
      u *= 2.0;
      break;
    case 'b':
      u = sin(u);
      break;
    case '\'':
      u *= x[at];
      break;
    default:
      u += (small)0.5;
    }
    switch (at) {
    case FIRST:
      u *= x[SECOND];
      break;
    case SECOND:
      u += x[THIRD];
      break;
    default:
      break;
    }
    y[at] = letter < 'c' ? u * weight(s) : u;
  }
}
