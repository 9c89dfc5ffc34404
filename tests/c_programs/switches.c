//: head switches(switches)/(x)
//: result double
//: arg int n = 8
//: arg double x[8]
#include <math.h>
enum mode { A, B = 3, C };
double switches(int n, const double *x) {
  double s = 1.0;
  for (int i = 0; i < n; i++) {
    switch (i) {
    case A:
    case 1:
      s += x[i];
      /* fall through */
    case 2:
      s *= x[i];
      break;
    case B: {
      double t = sin(x[i]);
      s += t * t;
      break;
    }
    default:
      s -= x[i] * x[i];
      /* fall through */
    case C:
      s = s * 0.5 + x[i];
      if (x[i] > 0.5)
        break;
      s *= 2.0;
      break;
    case 7:
      return s * x[0];
    }
    switch (n > 3 ? 'a' : 'b')
    case 'a':
      s *= 1.01;
  }
  return s;
}
