// Small structures by value, as results, as literals and in whole assignments.
//: head vectors(vectors,y)/(p,q,t)
//: result double
//: arg double p[3]
//: arg double q[3]
//: arg double t
//: arg out double y[3]
#include <math.h>
#include <string.h>

typedef struct {
  double x, y, z;
} vec3;

struct frame {
  vec3 origin;
  double axes[2][3];
  int count;
};

static vec3 add(vec3 a, vec3 b) {
  vec3 c;
  c.x = a.x + b.x;
  c.y = a.y + b.y;
  c.z = a.z + b.z;
  return c;
}

static vec3 scale(vec3 a, double s) { return (vec3){a.x * s, a.y * s, .z = a.z * s}; }

static double dot(const vec3 *a, const vec3 *b) { return a->x * b->x + a->y * b->y + a->z * b->z; }

static vec3 unit(vec3 a) {
  double r = sqrt(dot(&a, &a));
  a.x /= r;
  a.y /= r;
  a.z /= r;
  return a;
}

static void shift(struct frame *f, vec3 by) {
  f->origin = add(f->origin, by);
  for (int i = 0; i < f->count; i++)
    for (int j = 0; j < 3; j++)
      f->axes[i][j] *= 1.0 + 0.1 * f->origin.x;
}

double vectors(const double *p, const double *q, double t, double *y) {
  vec3 gravity = {0.0, 0.0, -9.81};
  vec3 a = {p[0], p[1], p[2]}, b = {.z = q[2], .x = q[0], .y = q[1]};
  struct frame f = {.count = 2, .axes = {{1.0, t}, {[2] = p[0]}}}, g;
  a = add(a, scale(gravity, t * t));
  f.origin = unit(b);
  shift(&f, scale(a, 0.01));
  g = f;
  memset(&f, 0, sizeof f);
  vec3 *o = &g.origin;
  y[0] = o->x * g.axes[0][1];
  y[1] = o->y + f.origin.x;
  y[2] = g.axes[1][2] * (o->z + dot(&a, &b));
  memcpy(&f, &g, sizeof(struct frame));
  return dot(&f.origin, &a) + (t > 0.5 ? add(a, b) : a).x;
}
