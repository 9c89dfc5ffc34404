//: head deep_args(y)/(x,y)
//: arg int n = 4
//: arg double x[4]
//: arg double y[4]
static double mix(double a, double b) { return a * b + a; }
static void put(double *p, double v) { *p = v * *p; }
void deep_args(int n, const double *x, double *y) {
  for (int i = 0; i < n; i++) {
    put(&y[i], mix(mix(x[i], y[i]), mix(y[i], x[n - 1 - i] * 2)));
    put(y + (i + 1) % n, mix(x[i], 3));
    y[i] = mix(y[i], (double)i);
  }
}
