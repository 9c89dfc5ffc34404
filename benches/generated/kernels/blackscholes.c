//: head blackscholes(value)/(spot,sigma,maturity,rate)
//: int n = 800
//: int call[n] = i % 3 != 0
//: in double strike[n] = 90 + 20 * cos(0.3 * i)
//: active double spot[n] = 100 + 15 * sin(0.7 * i)
//: active double sigma[n] = 0.2 + 0.08 * sin(1.1 * i)
//: active double maturity[n] = 0.5 + 0.4 * cos(0.9 * i)
//: active double rate = 0.03
//: out double value[n]
/* Black-Scholes values of n calls and puts. */
#include <math.h>

static double normal(double z) { return 0.5 * erfc(-z / sqrt(2.0)); }

static double price(int call, double strike, double spot, double sigma, double maturity, double rate)
{
    double deviation = sigma * sqrt(maturity);
    double d1 = (log(spot / strike) + (rate + 0.5 * sigma * sigma) * maturity) / deviation, d2 = d1 - deviation;
    double discounted = strike * exp(-rate * maturity);
    if (call)
        return spot * normal(d1) - discounted * normal(d2);
    return discounted * normal(-d2) - spot * normal(-d1);
}

void blackscholes(int n, const int *call, const double *strike, const double *spot, const double *sigma, const double *maturity, double rate,
                  double *value)
{
    for (int i = 0; i < n; i++)
        value[i] = price(call[i], strike[i], spot[i], sigma[i], maturity[i], rate);
}
