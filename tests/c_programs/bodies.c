// Arrays of structures with arrays in them, passed as pointers to one or to several; members handed on as arrays and by address.
//: head bodies(energy,u)/(u,m,h)
//: arg int n = 4
//: arg double u[16]
//: arg double m[4]
//: arg double h = 0.01:0.1
//: arg out double energy[1]
#include <math.h>

#define MOST 4
#define AT(b, i) ((b).x[i])

struct body {
  double x[2], v[2];
  double mass;
  int index;
};

static void force(const struct body *a, const struct body *b, double *f) {
  double d[2], r = 0.5;
  for (int i = 0; i < 2; i++) {
    d[i] = AT(*b, i) - a->x[i];
    r += d[i] * d[i];
  }
  for (int i = 0; i < 2; i++)
    f[i] += b->mass * d[i] / (r * sqrt(r));
}

static void add_to(double *x, const double *v, double h) {
  x[0] += h * v[0];
  x[1] += h * v[1];
}

static void grow(double *m, double by) { *m *= 1.0 + by; }

static void step(struct body *b, int n, double h) {
  for (int i = 0; i < n; i++) {
    double f[2] = {0.0, 0.0};
    for (int j = 0; j < n; j++)
      if (b[j].index != b[i].index)
        force(&b[i], b + j, f);
    add_to(b[i].v, f, h);
    grow(&b[i].mass, 0.1 * h);
  }
  for (struct body *p = b; p < b + n; p++)
    add_to(p->x, p->v, h);
}

void bodies(int n, double *u, const double *m, double h, double *energy) {
  struct body all[MOST];
  for (int i = 0; i < n; i++) {
    struct body *b = &all[i];
    b->index = i;
    b->mass = m[i];
    for (int k = 0; k < 2; k++) {
      b->x[k] = u[4 * i + k];
      b->v[k] = u[4 * i + 2 + k];
    }
  }
  for (int k = 0; k < 3; k++)
    step(all, n, h);
  *energy = 0.0;
  for (int i = 0; i < n; i++) {
    *energy += 0.5 * all[i].mass * (all[i].v[0] * all[i].v[0] + all[i].v[1] * all[i].v[1]);
    for (int k = 0; k < 2; k++)
      u[4 * i + k] = all[i].x[k];
  }
}
