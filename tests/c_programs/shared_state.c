//: head shared_state(y)/(x)
//: arg int n = 3
//: arg double x[3] = 0.3:1
//: arg double y[3] = 0.1:1
static double state[3];
static double level;
static void advance(int n, const double *x, double *y) {
  for (int i = 0; i + 1 < n; i++) {
    y[i] += state[i] * y[i + 1] + level;
    state[i] = x[i] + state[i + 1] * x[i + 1];
    level = state[i] * x[i];
    y[i + 1] += state[i] * state[i];
  }
}
static void reset(double c) {
  for (int i = 0; i < 3; i++)
    state[i] = c;
  level = 2.0 * c;
}
void shared_state(int n, const double *x, double *y) {
  for (int k = 0; k < 3; k++) {
    level = 0.5;
    state[0] = state[1] = state[2] = 0.25 * k;
    advance(n, x, y);
  }
  reset(0.75);
  advance(n, x, y);
}
