// null tests of pointers to structures in structures
// f/(p%x)
#include <math.h>
#include <stddef.h>
struct sim { double t, g[2]; };
struct part { double x; struct sim *sim; };
static double time_of(const struct part *p) {
  if (p->sim == NULL)
    return 0.5;
  return p->sim->t * p->sim->g[1];
}
double f(struct part *p) {
  double s = p->x;
  if (p->sim) {
    p->sim->t *= p->x;
    s += p->sim->g[0];
  }
  return s * sin(p->x) + time_of(p);
}
