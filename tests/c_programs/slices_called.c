//: head slices_called(y)/(x,y)
//: arg int n = 5
//: arg double x[5]
//: arg double y[1]
#include <math.h>

/* Elements that each round has for itself, but for calls: a callee sees all of the array. */
static double slices_shared[5];

static void slices_use(int n, double *restrict s) {
  for (int i = 0; i < n; i++) *s += 0.1 * slices_shared[i] * slices_shared[i];
}

static void slices_set(int n, const double x[restrict n], double w[restrict n]) {
  for (int i = 0; i < n; i++) w[i] = 0.5 * sin(x[i]);
  for (int i = 0; i < n; i++) w[i] = w[i] * sin(w[i]);
}

static void slices_most(int n, const double x[restrict n], double w[restrict n]) {
  for (int i = 1; i < n; i++) w[i] = cos(x[i]) * w[i - 1];
  for (int i = 0; i < n - 1; i++) w[i] = w[i] * sin(w[i]);
}

void slices_called(int n, const double x[restrict 5], double y[restrict 1]) {
  double w[5], s = y[0];
  for (int i = 0; i < 5; i++) slices_shared[i] = 0.0;
  for (int i = 0; i < 5; i++) {
    slices_shared[i] = sin(x[i] + s);
    slices_use(n, &s);
    slices_shared[i] = sin(slices_shared[i] * s);
  }
  for (int k = 0; k < 3; k++) {
    slices_set(n, x, w);
    for (int i = 0; i < 5; i++) s += 0.1 * w[i] * w[i];
    slices_set(n - 1, x, w);
    slices_most(n - 1, x, w + 1);
    for (int i = 0; i < 5; i++) s += 0.1 * w[i] * w[i];
    slices_most(n, x, w);
    for (int i = 0; i < 5; i++) s += 0.1 * w[i] * w[i];
  }
  y[0] = s;
}
