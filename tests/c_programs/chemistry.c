//: head chemistry(dydt)/(y,temp,logA)
//: arg double y[4]
//: arg double temp = 1:2
//: arg double logA[3]
//: arg out double dydt[4]
#include <math.h>
enum { H2, O2, H2O, OH, NSPEC };
static const int nu[3][NSPEC] = {{-2, -1, 2, 0}, {[H2] = -1, [OH] = 2, [O2] = -1}, {0, 0, -1, 1}};
static const double ea[] = {1.2, .8, 2.5};
void chemistry(const double y[NSPEC], double temp, const double logA[3], double dydt[NSPEC]) {
  double rate[3];
  for (int r = 0; r < 3; ++r) {
    rate[r] = exp(logA[r] - ea[r] / temp);
    for (int s = 0; s < NSPEC; ++s)
      if (nu[r][s] < 0)
        rate[r] *= pow(y[s], -nu[r][s]);
  }
  for (int s = 0; s < NSPEC; ++s) {
    dydt[s] = 0.;
    for (int r = 0; r < 3; ++r)
      dydt[s] += nu[r][s] * rate[r];
  }
}
