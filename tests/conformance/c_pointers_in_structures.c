// pointers in structures
// f/(v)
struct vec { int n; double *data; };
double f(const struct vec *v) {
  double s = 0.0;
  for (int i = 0; i < v->n; i++)
    s += v->data[i] * v->data[i];
  return s;
}
