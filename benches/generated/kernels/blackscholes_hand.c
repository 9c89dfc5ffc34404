#include <math.h>

/* The greeks in closed form: one density serves all of them, and an option needs two normal probabilities. Values come with them. */
void blackscholes_hand(int n, const int *restrict call, const double *restrict strike, const double *restrict spot, double *restrict spotb,
                       const double *restrict sigma, double *restrict sigmab, const double *restrict maturity, double *restrict maturityb,
                       double rate, double *restrict rateb, double *restrict value, double *restrict valueb)
{
    double rho = 0;
    for (int i = 0; i < n; i++) {
        double v = valueb[i], s = spot[i], t = maturity[i], root = sqrt(t), k = strike[i] * exp(-rate * t), sign = call[i] ? 1 : -1;
        double dev = sigma[i] * root, d1 = log(s / strike[i]) / dev + rate * t / dev + 0.5 * dev, d2 = d1 - dev;
        double delta = sign * 0.5 * erfc(-sign * d1 * 0.70710678118654752), hold = sign * k * 0.5 * erfc(-sign * d2 * 0.70710678118654752);
        double vega = s * root * 0.39894228040143268 * exp(-0.5 * d1 * d1);
        value[i] = s * delta - hold;
        spotb[i] += v * delta;
        sigmab[i] += v * vega;
        maturityb[i] += v * (rate * hold + 0.5 * vega * sigma[i] / t);
        rho += v * t * hold;
        valueb[i] = 0;
    }
    *rateb += rho;
}
