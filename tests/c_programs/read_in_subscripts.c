#include <math.h>
//: head read_in_subscripts(x,y)/(x,y)
//: arg double x[6]
//: arg double y[6]
static void stepped(double x[6]) {
  int at[6] = {2, 0, 3, 1, 5, 4};
  for (int i = 0; i < 6; i++)
    x[at[i]] += 0.3 * x[i] * x[i];
  for (int i = 0; i < 6; i++)
    at[i] = (at[i] + 1) % 6;
  x[at[0]] *= x[at[5]];
}
static void rounded(double x[6], double y[6]) {
  double at[6];
  for (int i = 0; i < 6; i++)
    at[i] = 5 - i;
  for (int i = 0; i < 6; i++)
    y[0] *= 0.5 + x[(int)at[i]];
  for (int i = 0; i < 6; i++)
    at[i] = 1.0;
  for (int i = 0; i < 6; i++)
    y[1] += x[(int)at[i]] * x[i];
}
static void nested(double x[6], double y[6]) {
  int k[6] = {1, 2, 3, 4, 5, 0}, l[6] = {3, 1, 0, 5, 4, 2};
  for (int i = 0; i < 6; i++)
    y[k[l[i]]] = 0.5 * y[k[i]] + sin(x[l[k[i]]]);
  for (int i = 0; i < 6; i++)
    k[l[i]] = l[i];
  for (int i = 0; i < 6; i++)
    y[k[i]] *= x[l[i]];
}
static void own_place(double x[6]) {
  int k[6] = {1, 2, 3, 4, 5, 0};
  for (int i = 0; i < 5; i++) {
    k[k[i]] = i;
    x[k[i]] = sin(x[k[k[i + 1]]]) + 0.1 * x[i];
  }
}
static void exchanged_places(double x[6]) {
  int k[6] = {5, 4, 3, 2, 1, 0};
  for (int i = 0; i < 5; i++) {
    double t = x[k[i]];
    x[k[i]] = x[k[i + 1]] * x[i];
    x[k[i + 1]] = t;
    int s = k[i];
    k[i] = k[i + 1];
    k[i + 1] = s;
  }
}
static void bounds(double x[6], double y[6]) {
  int from[6] = {0, 1, 0, 2, 3, 0}, to[6] = {3, 4, 6, 5, 6, 2};
  for (int i = 0; i < 6; i++)
    for (int j = from[i]; j < to[i]; j++)
      y[i] *= 0.8 + 0.1 * x[j];
  for (int i = 0; i < 6; i++) {
    from[i] = 0;
    to[i] = i;
  }
  for (int i = 0; i < 6; i++)
    for (int j = from[i]; j < to[i]; j++)
      y[j] *= x[i];
}
static void strides(double x[6], double y[6]) {
  int by[3] = {1, 2, 3};
  for (int r = 0; r < 3; r++)
    for (int j = 0; j < 6; j += by[r])
      y[j] *= 0.6 + x[j];
  for (int r = 0; r < 3; r++)
    by[r] = 5;
  for (int j = 0; j < 6; j += by[0])
    x[j] *= y[j];
}
static void conditions(double x[6], double y[6]) {
  int on[6] = {1, 0, 1, 1, 0, 0};
  for (int i = 0; i < 6; i++)
    if (on[i])
      y[i] *= x[i];
    else
      y[i] += sin(x[i]);
  for (int i = 0; i < 6; i++)
    on[i] = !on[i];
  for (int i = 0; i < 6; i++)
    if (on[i])
      x[i] *= y[i];
}
static void chosen(double x[6], double y[6]) {
  int way[6] = {0, 1, 2, 0, 1, 2};
  for (int i = 0; i < 6; i++)
    switch (way[i]) {
    case 0:
      y[i] *= x[i];
      break;
    case 1:
      y[i] = sin(y[i]) * x[way[i]];
      /* fall through */
    default:
      y[way[i]] += 0.2 * x[i] * y[i];
    }
  for (int i = 0; i < 6; i++)
    way[i] = (way[i] + 1) % 3;
  y[way[2]] *= x[way[1]];
}
static void scaled(double *a, int m, const int *k) {
  for (int i = 0; i < m; i++)
    a[k[i]] *= 0.7 + a[m - 1];
}
static void handed(double x[6]) {
  int k[6] = {4, 2, 0, 1, 3, 5}, m[3] = {2, 4, 5};
  for (int r = 0; r < 3; r++) {
    scaled(x, m[r], k);
    k[r] = k[m[r]];
    m[r] = 1;
  }
  scaled(x, m[0] + 3, k);
}
static void queued(double x[6], double y[6]) {
  int queue[12], head = 0, tail = 1;
  queue[0] = 3;
  while (head < tail && tail < 9) {
    int v = queue[head++];
    y[v] = y[v] * x[v] + 0.1;
    queue[tail++] = (2 * v + 1) % 6;
    if (x[v] > 0.5)
      queue[tail++] = (v + 3) % 6;
    queue[head - 1] = 5;
  }
  x[queue[0]] *= y[queue[1] % 6];
}
static void counted(double x[6], double y[6]) {
  int n = 0, k[6];
  for (int i = 0; i < 6; i++)
    if (x[i] > 0.4)
      k[n++] = i;
  for (int i = 0; i < n; i++)
    y[k[i]] += x[k[n - 1 - i]] * x[k[i]];
  for (int i = 0; i < n; i++)
    k[i] = 0;
  n = 2;
  y[n] *= y[n + 1];
}
static void until(double x[6], double y[6]) {
  int next[6] = {2, 4, 5, 0, 3, 1}, p = 0;
  do {
    y[p] = y[p] * x[next[p]] + x[p];
    int q = next[p];
    next[p] = 0;
    p = q;
  } while (p != 0);
  x[next[5]] *= y[4];
}
static void squashed(double x[6], double y[6]) {
  for (int i = 0; i < 6; i++) {
    x[i] = sin(x[i]) + 0.3;
    y[i] = sin(y[i]) + 0.4;
  }
}
void read_in_subscripts(double x[6], double y[6]) {
  stepped(x);
  squashed(x, y);
  rounded(x, y);
  squashed(x, y);
  nested(x, y);
  squashed(x, y);
  own_place(x);
  squashed(x, y);
  exchanged_places(x);
  squashed(x, y);
  bounds(x, y);
  squashed(x, y);
  strides(x, y);
  squashed(x, y);
  conditions(x, y);
  squashed(x, y);
  chosen(x, y);
  squashed(x, y);
  handed(x);
  squashed(x, y);
  queued(x, y);
  squashed(x, y);
  counted(x, y);
  squashed(x, y);
  until(x, y);
}
