//: head crr(crr)/(S,K,r,sigma,T)
//: result double
//: arg double S = 0.95:1.05
//: arg double K = 0.97:1.03
//: arg double r = 0.02:0.05
//: arg double sigma = 0.2:0.3
//: arg double T = 0.9:1.1
//: arg int steps = 5
//: arg int american = 1
//: arg int call = 0
//: run american=0
//: run call=1 steps=4
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#define MAX(a, b) ((a) > (b) ? (a) : (b))
static double payoff(double s, double k, bool call) { return call ? MAX(s - k, 0.0) : MAX(k - s, 0.0); }

double crr(double S, double K, double r, double sigma, double T, int steps, int american, int call)
{
    const double dt = T / steps;
    const double u = exp(sigma * sqrt(dt)), d = 1.0 / u;
    const double disc = exp(-r * dt), p = (exp(r * dt) - d) / (u - d), q = 1.0 - p;
    double *v = malloc((steps + 1) * sizeof *v);
    for (int i = 0; i <= steps; i++)
        v[i] = payoff(S * pow(u, steps - i) * pow(d, i), K, call);
    for (int n = steps - 1; n >= 0; n--)
        for (int i = 0; i <= n; i++) {
            v[i] = disc * (p * v[i] + q * v[i + 1]);
            if (american) {
                double ex = payoff(S * pow(u, n - 2 * i), K, call);
                if (ex > v[i]) v[i] = ex;
            }
        }
    double price = v[0];
    free(v);
    return price;
}
