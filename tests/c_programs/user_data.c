// Parameters behind a pointer to void, as solvers hand them over; pointers in structures of the function itself stand for what they point to.
//: head user_data(y)/(x,rate)
//: arg double x[3]
//: arg double rate
//: arg out double y[3]
#include <math.h>

struct settings {
  int n;
  double rate, weights[2];
  union {
    int whole;
    unsigned flags;
  } kind;
  unsigned first : 3;
};

static int values(const double *x, double *y, void *user_data) {
  struct settings *s;
  double *w;
  static const struct {
    int lag;
    double w[2];
  } filter[2] = {{0, {0.75, 0.25}}, [1] = {.lag = 1, .w = {0.5, 0.5}}};
  s = (struct settings *)user_data;
  w = s->weights;
  for (int i = 0; i < s->n; i++) {
    y[i] = 0.0;
    for (int k = 0; k < (int)(sizeof filter / sizeof filter[0]); k++)
      y[i] += s->rate * filter[k].w[1] * sin(x[(i + filter[k].lag) % s->n] * filter[k].w[0]) * w[k];
    if (s->kind.whole == 1)
      y[i] *= 2.0;
  }
  return 0;
}

struct table {
  int count;
  const double *factors, *powers;
};

static double power_sum(const struct table *t, double base) {
  double sum = 0.0;
  for (int i = 0; i < t->count; i++)
    sum += t->factors[i] * pow(base, t->powers[i]);
  return sum;
}

static double shared(const double *x, double rate) {
  static const double powers[3] = {1.0, 2.0, 3.0};
  struct table t = {.count = 3, .factors = x};
  t.powers = powers;
  return power_sum(&t, rate);
}

void user_data(const double *x, double rate, double *y) {
  struct settings s = {.n = 3, .rate = rate, .weights = {1.5}};
  s.weights[1] = rate * rate;
  values(x, y, &s);
  y[0] += shared(x, rate);
}
