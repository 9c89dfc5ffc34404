// structures by pointer
// f(b)/(b)
struct body { double x[2], mass; };
void f(struct body *b) {
  b->x[0] += b->mass * b->x[1];
  b->mass *= b->x[0];
}
