#include <math.h>
//: head entered_in_the_middle(y)/(x,y)
//: arg double x = 0.7
//: arg double y[16]
//: run x=1.7
//: run x=1.9
//: run x=-0.6
/* The test of a loop at its bottom. */
static double bottom(double x) {
  double y = 1.0;
  int i = 0;
  goto test;
body:
  y = y * x;
  i++;
test:
  if (i < 4)
    goto body;
  return y;
}
/* Into the middle of it from inside of a branch, or around all of it. */
static double from_branch(double x) {
  double y = 1.0;
  int i = 0;
  if (x > 0) {
    if (x > 1.8)
      goto test;
    y = 2.0 * x;
    if (x > 1)
      goto behind;
  }
body:
  y = y * x * 0.5;
  i++;
test:
  y += sin(x);
  if (i < 4)
    goto body;
behind:
  return y * y;
}
/* Two such loops, one in the other. */
static double twice(double x) {
  double y = x;
  int i = 0, j;
  goto outer_test;
outer:
  j = 0;
  goto inner_test;
inner:
  y = y * cos(x) + 0.1;
  j++;
inner_test:
  if (j < i)
    goto inner;
  y += x * y;
  i++;
outer_test:
  if (i < 4)
    goto outer;
  return y;
}
/* Into the inner one from before the outer one. */
static double far_in(double x) {
  double y = x;
  int i = 0, j = 0;
  if (x > 0.5)
    goto inner_test;
outer:
  j = 0;
inner:
  y = sin(y) + x * y;
  j++;
inner_test:
  y *= 0.9;
  if (j < 2)
    goto inner;
  i++;
  if (i < 3)
    goto outer;
  return y;
}
/* Several ways in. */
static double ways_in(double x) {
  double y = 1.0;
  int k = 0;
  if (x > 1.5)
    goto third;
  if (x > 0.5)
    goto second;
first:
  y *= x;
  k++;
second:
  y += sin(x) * y;
  k++;
third:
  y = y * 0.5 + x * x;
  if (++k < 7)
    goto first;
  return y;
}
/* Loops whose ranges cross. */
static double crossing(double x) {
  double y = x;
  int k = 0;
  goto middle;
top:
  y = 0.5 * y + x;
middle:
  y = sin(y) * x;
  if (k++ < 2)
    goto top;
bottom:
  y += x * y;
  if (k++ < 5)
    goto middle;
  if (k++ < 9)
    goto bottom;
  return y;
}
/* Out of a nest into the middle of what a jump behind it repeats. */
static double out_of_nest(double x) {
  double y = 1.0;
  int n = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      y += 0.2 * x * y;
      if (y > 1.5)
        goto late;
    }
early:
  y *= 0.8 + 0.1 * x;
late:
  y += sin(x);
  if (n++ < 3)
    goto early;
  return y;
}
/* Back over what has been jumped over. */
static double back_over(double x) {
  double y = x;
  int k = 0;
  goto second;
first:
  y = y * x + 0.3;
  if (k > 3)
    goto done;
second:
  y = y * y * 0.5 + x;
  k++;
  if (k < 6)
    goto first;
done:
  return y;
}
/* Into a block. */
static double into_block(double x) {
  double y = 1.0;
  int k = 0;
  if (x < 1.0)
    goto inside;
again:
  if (k < 3) {
    y *= x;
  inside:
    y += 0.5 * x * y;
    k++;
    goto again;
  }
  return y;
}
/* Into a loop. */
static double into_loop(double x) {
  double y = 1.0;
  int i = 2;
  if (x > 0)
    goto inside;
  for (i = 0; i < 4; i++) {
    y *= 0.7 + x;
  inside:
    y += x * i;
  }
  return y;
}
/* A machine of states in any order. */
static double states(double x) {
  double y = x;
  int k = 0, n = 0;
  goto c;
a:
  y = sin(y) + x;
  if (n > 9)
    goto e;
  goto d;
b:
  y = y * 0.5 * x;
  k = 2;
  goto a;
c:
  y = y + x * x;
  if (y > 2)
    goto b;
  goto a;
d:
  n++;
  y *= 0.9;
  if (k > 1) {
    k = 0;
    goto c;
  }
  k++;
  goto b;
e:
  return y;
}
/* Loops with their tests in the middle, inside of a counted loop. */
static double inside_of_loop(double x) {
  double y = 1.0;
  for (int i = 0; i < 3; i++) {
    int k = 0;
    goto test;
  body:
    y = y * x * 0.6 + 0.2;
    k++;
  test:
    if (k > 4)
      break;
    if (k < i + 1)
      goto body;
  }
  return y;
}
/* A switch that leads into a loop of jumps. */
static double from_switch(double x) {
  double y = x;
  int k = x > 1 ? 2 : 1, n = 0;
  switch (k) {
  case 1:
    goto lower;
  case 2:
    y *= 2;
    break;
  default:
    goto out;
  }
upper:
  y = y * 0.5 + x * x;
lower:
  y = sin(y) * x;
  if (n++ < 3)
    goto upper;
out:
  return y;
}
/* An unsigned counter, and a test that ends with what it sets. */
static double down(double x) {
  double y = 1.0;
  unsigned n = 5;
  goto test;
body:
  y += y * x / n;
test:
  if (n-- > 1)
    goto body;
  return y;
}
void entered_in_the_middle(double x, double *y) {
  y[0] *= bottom(x);
  y[1] *= from_branch(x);
  y[2] *= twice(x);
  y[3] *= far_in(x);
  y[4] *= ways_in(x);
  y[5] *= crossing(x);
  y[6] *= out_of_nest(x);
  y[7] *= back_over(x);
  y[8] *= into_block(x);
  y[9] *= into_loop(x);
  y[10] *= states(x);
  y[11] *= inside_of_loop(x);
  y[12] *= from_switch(x);
  y[13] *= down(x);
}
