// structures passed as arrays of their numbers
// f/(a,p)
struct vec { double x, y, z; };
static double *cross(double *r, const double *a, const double *b) {
  double t[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  for (int i = 0; i < 3; i++)
    r[i] = t[i];
  return r;
}
double f(struct vec a, const struct vec *p) {
  struct vec r;
  cross((double *)&r, (double *)&a, (const double *)p);
  cross((double *)&a, (double *)&a, (double *)&r);
  return a.x * r.y + a.z;
}
