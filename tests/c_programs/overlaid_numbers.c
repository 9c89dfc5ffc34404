//: head overlaid_numbers(out)/(in)
//: arg double in[3]
//: arg out double out[4]

#include <math.h>

typedef union {
  struct { double x, y; };
  struct { double u, v; };
  double e[2];
} overlaid_pair;

typedef union {
  struct { double x, y, z; };
  struct { overlaid_pair xy; double rest; };
  struct { double first; overlaid_pair yz; };
  double e[3];
} overlaid_triple;

/* Rows are pairs. */
typedef union {
  double e[2][2];
  overlaid_pair row[2];
} overlaid_matrix;

/* A union without a name within a structure. */
typedef struct {
  int tag;
  union {
    double all[3];
    struct { double a, b, c; } named;
  };
} overlaid_tagged;

static overlaid_pair overlaid_sum(overlaid_pair a, const overlaid_pair *b) {
  overlaid_pair r = {0};
  r.x = a.x + b->u;
  r.y = a.y * b->e[1];
  return r;
}

static overlaid_pair overlaid_times(overlaid_matrix m, overlaid_pair a) {
  overlaid_pair r;
  r = m.row[0];
  r.e[0] *= a.u;
  r.v = r.y * a.v + m.e[1][0] * m.row[1].y;
  return r;
}

static double overlaid_pick(const overlaid_tagged *t, int k) {
  const overlaid_pair *first = 0;
  (void)first;
  return t->all[k] * t->named.c;
}

void overlaid_numbers(const double *in, double *out) {
  overlaid_triple t = {{in[0], in[1], in[2]}};
  overlaid_pair kept = t.yz;
  t.xy = overlaid_sum(t.xy, &kept);
  overlaid_matrix m;
  m.row[0] = t.yz;
  m.row[1] = t.xy;
  for (int k = 0; k < 2; k++) {
    overlaid_pair *r = &m.row[k];
    r->x *= t.e[k + 1];
    m.e[k][1] += sin(r->u);
  }
  overlaid_pair q = overlaid_times(m, m.row[1]);
  overlaid_tagged g = {.tag = 1, .named = {.a = q.x, .c = q.y}};
  if (g.tag == 1) g.all[1] = t.rest * q.v;
  out[0] = overlaid_pick(&g, 0);
  out[1] = overlaid_pick(&g, 1);
  overlaid_triple s[2] = {[1] = {.y = 2.0}, [0] = {.yz = q}};
  s[1].z = s[0].e[2] * in[1];
  out[2] = s[1].z + s[1].y * s[0].y;
  overlaid_pair c = in[0] > 0 ? t.xy : t.yz;
  out[3] = c.u * c.v;
}
