//: head statics(statics)/(x)
//: result double
//: arg double x[3]
#define N 3
typedef struct unused { int a; } unused_t;
static const double weight[N] = {0.5, 1.5, -2.0};
static const int order[2][N] = {{2, 0, 1}, {1, 2, 0}};
double statics(const double *x) {
  static const double shift[N] = {0.1, 0.2, 0.3};
  static double memory;
  double s = 0;
  memory = 0;
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < N; i++) {
      memory += weight[i] * x[order[k][i]] * x[i] + shift[i];
      s += memory * x[i];
    }
  return s;
}
