//: head places_in_time(places_in_time)/(x)
//: result double
//: arg int n = 7
//: arg int nt = 3
//: arg double x[7]
//: run n=6
//: run nt=0
#include <math.h>
double places_in_time(int n, int nt, const double x[n]) {
  double a[40];
  double s = 0;
  for (int i = 0; i < 40; i++) a[i] = 0.1 * i;
  for (int i = 0; i < n; i++) a[i] += x[i];
  for (int t = 0; t < nt; t++) {
    a[3] = a[2] * a[4];
    for (int i = 1; i < n; i++) a[i] = a[i] * a[i - 1] * 0.3 + 0.2;
    a[0] = sin(a[n - 1]);
    for (int i = 0; i < n - 1; i++) a[i] = a[i + 1] * 0.5 + a[i];
    s += a[5];
  }
  for (int i = 0; i < n; i++) s += a[i] * a[i];
  return s;
}
