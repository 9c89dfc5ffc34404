//: head overlaid_parts(out)/(x)
//: arg double x[4]
//: arg out double out[6]

#include <string.h>

typedef struct { double x, y; } overlaid_point;

/* The first member leaves one number out. */
typedef union {
  struct { double a; double b[2]; };
  double v[4];
  struct { overlaid_point p, q; };
  double m[2][2];
  overlaid_point two[2];
} overlaid_all;

static overlaid_all overlaid_state = {.p = {1.0, 2.0}, .q = {3.0}};
static const overlaid_all overlaid_fixed = {.m = {{1.0, 2.0}, {3.0, 4.0}}};

static double overlaid_rows(const double *x) {
  overlaid_all u;
  memset(&u, 0, sizeof u);
  u.a = x[0];
  for (int i = 0; i < 2; i++) u.b[i] = x[i] * u.a;
  double s = 0;
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) s += u.m[i][j] * (i + 2 * j + 1);
  return s * u.p.y;
}

static double overlaid_copies(const double *x) {
  overlaid_all u, w;
  u.p.x = x[0];
  u.p.y = x[1];
  u.q = u.p;
  u.two[1].x *= x[0];
  memcpy(&w, &u, sizeof w);
  double *p = &w.p.y;
  p[1] *= p[0];
  w.p = w.q;
  return w.v[0] * w.v[1] + w.v[2] * w.two[1].y;
}

static void overlaid_many(int n, const overlaid_all *a, overlaid_all *b) {
  for (int i = 0; i < n; i++) {
    b[i] = a[i];
    b[i].two[i % 2].x *= a[i].q.y;
    b[i].m[1][i % 2] += b[i].v[0];
  }
}

static double overlaid_kept(double x) {
  overlaid_state = overlaid_fixed;
  overlaid_state.q.x = x * overlaid_state.a;
  overlaid_state.b[0] *= x;
  return overlaid_state.m[1][0] * overlaid_fixed.v[2] + overlaid_fixed.two[1].y * overlaid_state.v[1];
}

static void overlaid_add(overlaid_point *restrict r, overlaid_point s, double k) {
  r->x += k * s.x;
  r->y *= s.y;
}

static double overlaid_values(const double *x) {
  overlaid_point r = {x[0], x[1]};
  overlaid_all u = {.two = {{x[1], 2.0}, r}};
  overlaid_add(&r, u.q, x[0]);
  overlaid_add(&r, u.two[0], u.m[0][1]);
  return r.x * r.y;
}

static double overlaid_turns(const double *x) {
  overlaid_all u = {.a = x[0], .b = {x[1], x[0] * x[1]}};
  double s = 0.0;
  for (int k = 0; k < 3; k++) {
    overlaid_point t = u.two[k & 1];
    u.two[(k + 1) & 1] = t;
    u.two[k & 1].x = t.y * x[0];
    s += u.v[k] * t.x;
  }
  overlaid_point *e = u.two;
  for (int k = 0; k < 2; k++) e[k].y += e[k].x * x[k];
  return s * u.m[1][1] + u.q.y;
}

void overlaid_parts(const double *x, double *out) {
  overlaid_all a[2], b[2];
  for (int k = 0; k < 4; k++) {
    a[0].v[k] = x[k];
    a[1].v[3 - k] = x[k] * x[0];
  }
  overlaid_many(2, a, b);
  out[0] = overlaid_rows(x);
  out[1] = overlaid_copies(b[1].v);
  out[2] = b[0].q.x * b[1].a + b[0].b[1];
  out[3] = overlaid_kept(x[2]);
  out[4] = overlaid_values(x);
  out[5] = overlaid_turns(b[0].v);
}
