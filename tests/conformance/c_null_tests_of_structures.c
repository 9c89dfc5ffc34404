// null tests of pointers to structures in structures
// f/(p%x)
#include <math.h>
#include <stddef.h>
struct sim { double t, g[2]; };
struct part { double x; struct sim *sim; };
static double time_of(const struct part *p) {
  double t = 0.5;
  if (p->sim != NULL)
    t = p->sim->t * p->sim->g[1];
  return t;
}
double f(struct part *p) {
  double s = p->x;
  if (p->sim) {
    p->sim->t *= p->x;
    s += p->sim->g[0];
  }
  return s * sin(p->x) + time_of(p);
}
