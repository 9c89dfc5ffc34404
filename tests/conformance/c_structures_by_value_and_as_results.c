// structures by value and as results
// f/(x)
struct pair { double x, y; };
static struct pair turned(struct pair p) {
  struct pair q = {-p.y, p.x * p.x};
  return q;
}
double f(double x) {
  struct pair p = turned((struct pair){x, 2.0 * x});
  return p.x * p.y;
}
