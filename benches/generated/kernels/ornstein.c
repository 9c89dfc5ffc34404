//: head ornstein(ornstein)/(theta,mu,sigma)
//: int n = 2500
//: in double when[n] = 0.1 * i + 0.03 * sin(i)
//: in double x[n] = 0.5 + 0.3 * sin(0.2 * i)
//: active double theta = 0.8
//: active double mu = 0.4
//: active double sigma = 0.6
/* Negative log-likelihood of an Ornstein-Uhlenbeck path seen at uneven times. */
#include <math.h>

static double transition(double dt, double from, double to, double theta, double mu, double sigma)
{
    double decay = exp(-theta * dt);
    double variance = sigma * sigma * (1 - decay * decay) / (2 * theta);
    double e = to - (mu + (from - mu) * decay);
    return 0.5 * (log(6.283185307179586 * variance) + e * e / variance);
}

double ornstein(int n, const double *when, const double *x, double theta, double mu, double sigma)
{
    double cost = 0;
    for (int i = 1; i < n; i++)
        cost += transition(when[i] - when[i - 1], x[i - 1], x[i], theta, mu, sigma);
    return cost;
}
