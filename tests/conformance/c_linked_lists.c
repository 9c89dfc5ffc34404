// linked lists
// f/(x)
#include <stdlib.h>
struct node { double v; struct node *next; };
double f(double x) {
  struct node second = {x * x, NULL}, first = {x, &second};
  double s = 0.0;
  for (struct node *p = &first; p; p = p->next)
    s = 0.5 * s + p->v;
  return s;
}
