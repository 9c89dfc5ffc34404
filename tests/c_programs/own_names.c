//: head own_names(own_names)/(x)
//: result double
//: loose
//: arg int n = 4
//: arg double x[4]
//: run n=2
/* Names that headers of the library have for something else: derivative code needs these headers, this text does not. */
static double div(double a, double b) { return a / (1.0 + b * b); }
static const int random = 3;
enum { select = 2, drand48 };
typedef double float_t;

double own_names(int n, const double *x) {
  float_t s = 1.0;
  int k = 0;
  while (k < n && s < 30.0) {
    if (s > 1.5)
      s = s * x[k] * x[k];
    s = div(s * x[k], x[n - 1 - k]) + s * s;
    k++;
  }
  return s * s * x[select - 1] * random + drand48;
}
