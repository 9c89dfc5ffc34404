//: head hmm/(pi,t,e)
//: result double
//: arg int s = 3
//: arg int len = 5
//: arg int obs[5] = {0,1,1,0,1}
//: arg double pi[3]
//: arg double t[9]
//: arg double e[6]
#include <math.h>
double hmm(int s, int len, const int *obs, const double *pi, const double (*t)[s], const double (*e)[2]) {
  double alpha[s], next[s], ll = 0;
  for (int i = 0; i < s; i++)
    alpha[i] = pi[i] * e[i][obs[0]];
  for (int k = 1; k < len; k++) {
    double c = 0;
    for (int j = 0; j < s; j++) {
      double acc = 0;
      for (int i = 0; i < s; i++)
        acc += alpha[i] * t[i][j];
      c += next[j] = acc * e[j][obs[k]];
    }
    for (int j = 0; j < s; j++)
      alpha[j] = next[j] / c;
    ll += log(c);
  }
  double tail = 0;
  for (int i = 0; i < s; i++)
    tail += alpha[i];
  return ll + log(tail);
}
