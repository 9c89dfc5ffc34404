// unions of numbers of one type
// f/(x)
union vec {
  struct { double x, y, z; };
  double v[3];
};
static union vec cross(union vec a, union vec b) {
  union vec r = {{a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}};
  return r;
}
double f(const double x[3]) {
  union vec a, b = {.y = 2.0};
  for (int k = 0; k < 3; k++) a.v[k] = x[k] * x[k];
  b.z = x[0];
  return cross(a, b).v[1];
}
