// pointers at file scope
// f/(x)
static double store[4];
static double *work = store;
double f(double x) {
  work[0] = x * x;
  return work[0] * x;
}
