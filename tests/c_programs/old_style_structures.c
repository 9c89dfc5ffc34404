//: head old_style_structures(out)/(in)
//: arg double in[6]
//: arg out double out[4]

#include <math.h>

typedef struct old_style_vector { double x, y, z; } old_style_vector;
typedef struct { double e[2][2]; } old_style_matrix;

static double old_style_length();
static old_style_vector *old_style_cross(), *old_style_halved();

/* The three of them are declared at once. */
static old_style_vector *old_style_cross(a, b, c)
old_style_vector *a, *b, *c;
{
  c->x = a->y * b->z - a->z * b->y;
  c->y = a->z * b->x - a->x * b->z;
  c->z = a->x * b->y - a->y * b->x;
  return c;
}

static old_style_vector *old_style_halved(v)
old_style_vector *v;
{
  v->x *= 0.5;
  v->y *= 0.5;
  return v;
}

static old_style_vector old_style_sum(u, v)
old_style_vector u, v;
{
  old_style_vector s;
  s.x = u.x + v.x;
  s.y = u.y + v.y;
  s.z = u.z * v.z;
  return s;
}

static old_style_matrix *old_style_times(a, b, c)
old_style_matrix *a, *b, *c;
{
  int i, j, k;
  for (i = 0; i < 2; i++)
    for (j = 0; j < 2; j++) {
      c->e[i][j] = 0;
      for (k = 0; k < 2; k++) c->e[i][j] += a->e[i][k] * b->e[k][j];
    }
  return c;
}

void old_style_structures(const double *in, double *out) {
  old_style_vector a, b, c;
  old_style_matrix m, n, p;
  a.x = in[0]; a.y = in[1]; a.z = in[2];
  b.x = in[3]; b.y = in[4]; b.z = in[5];
  old_style_cross(&a, &b, &c);
  out[0] = old_style_length(&c);
  c = old_style_sum(a, c);
  out[1] = c.x * c.y * c.z;
  m.e[0][0] = in[0]; m.e[0][1] = in[1]; m.e[1][0] = in[2]; m.e[1][1] = in[3];
  n = m;
  n.e[0][1] *= in[5];
  old_style_times(&m, &n, &p);
  out[2] = p.e[0][0] * p.e[1][1];
  out[3] = old_style_length(old_style_halved(&a));
}

static double old_style_length(v)
old_style_vector *v;
{
  return sqrt(v->x * v->x + v->y * v->y + v->z * v->z);
}
