//: head binomial(binomial)/(spot,strike,sigma,rate)
//: int n = 250
//: in double maturity = 1
//: active double spot = 100
//: active double strike = 104.7
//: active double sigma = 0.25
//: active double rate = 0.04
/* American put on a binomial tree (Cox, Ross, Rubinstein) of n steps. */
#include <math.h>

double binomial(int n, double maturity, double spot, double strike, double sigma, double rate)
{
    double value[n + 1];
    double dt = maturity / n, up = exp(sigma * sqrt(dt)), down = 1 / up;
    double discount = exp(-rate * dt), p = (exp(rate * dt) - down) / (up - down);
    for (int j = 0; j <= n; j++)
        value[j] = fmax(strike - spot * pow(up, 2 * j - n), 0);
    for (int t = n - 1; t >= 0; t--) {
        double s = spot * pow(down, t);
        for (int j = 0; j <= t; j++) {
            double hold = discount * (p * value[j + 1] + (1 - p) * value[j]);
            value[j] = fmax(hold, strike - s);
            s *= up * up;
        }
    }
    return value[0];
}
