// numbers behind `void *`
// f(f)/(x,data)
double f(const double x[2], void *data) {
  const double *w = (const double *)data;
  return w[0] * x[0] + w[1] * x[1] * x[1];
}
