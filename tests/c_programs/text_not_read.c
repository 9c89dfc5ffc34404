//: head text_not_read(length)/(p)
//: arg double p[3]
//: arg out double length

#include <math.h>

/* Where numbers begin in memory says nothing of what they are. */
struct unread_text_point {
  _Alignas(32) double at[3];
  int tag;
};

/* The parser does not read the type of `twice`; nobody needs this function. */
int unread_text_twice(int k) {
  __auto_type twice = 2 * k;
  return twice;
}

static double unread_text_norm(const struct unread_text_point *s) {
  return sqrt(s->at[0] * s->at[0] + s->at[1] * s->at[1] + s->at[2] * s->at[2]);
}

/* It says how often it was called, and takes no part in the numbers. */
static int unread_text_count(void) {
  __auto_type step = 1;
  static int count;
  count += step;
  return count;
}

void text_not_read(const double *p, double *length) {
  struct unread_text_point s;
  for (int k = 0; k < 3; k++) s.at[k] = p[k] * p[k];
  s.tag = unread_text_count();
  *length = s.tag >= 0 ? unread_text_norm(&s) : 0.0;
}
