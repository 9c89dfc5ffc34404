// Parameters behind a pointer to void, as solvers hand them over: unions, bit-fields and texts in them are passive.
//: head user_data(y)/(x,rate)
//: arg double x[3]
//: arg double rate
//: arg out double y[3]
#include <math.h>

typedef struct {
  int n;
  double rate, weights[2];
  union {
    int whole;
    unsigned flags;
  } kind;
  unsigned first : 3;
  const char *name;
} *Settings;

struct settings {
  int n;
  double rate, weights[2];
  int kind;
};

static int values(const double *x, double *y, void *user_data) {
  struct settings *s;
  double *w;
  static const struct {
    int lag;
    double w[2];
  } filter[2] = {{0, 0.75, 0.25}, [1] = {.lag = 1, .w = {0.5, 0.5}}};
  s = (struct settings *)user_data;
  w = s->weights;
  for (int i = 0; i < s->n; i++) {
    y[i] = 0.0;
    for (int k = 0; k < (int)(sizeof filter / sizeof filter[0]); k++)
      y[i] += s->rate * filter[k].w[1] * sin(x[(i + filter[k].lag) % s->n] * filter[k].w[0]) * w[k];
    if (s->kind == 1)
      y[i] *= 2.0;
  }
  return 0;
}

double scaled(const double *x, void *user_data) {
  Settings s = user_data;
  double sum = 0.0;
  for (int i = s->first; i < s->n; i++)
    sum += s->rate * x[i] * (s->kind.whole == 1 ? s->weights[0] : s->weights[1]);
  return sum;
}

void user_data(const double *x, double rate, double *y) {
  struct settings s = {3, rate, {1.5}, .kind = 1};
  s.weights[1] = rate * rate;
  values(x, y, &s);
}
