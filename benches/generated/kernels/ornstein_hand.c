#include <math.h>

/* The derivative by the logarithm of the variance is (1 - e^2 / variance) / 2: no logarithm, one exp and one division a transition. */
void ornstein_hand(int n, const double *restrict when, const double *restrict x, double theta, double *restrict thetab, double mu,
                   double *restrict mub, double sigma, double *restrict sigmab, double seed)
{
    double scale = sigma * sigma / (2 * theta), decayb = 0, sum = 0, logs = 0;
    for (int i = 1; i < n; i++) {
        double dt = when[i] - when[i - 1], decay = exp(-theta * dt), w = 1 - decay * decay, inverse = 1 / (scale * w);
        double from = x[i - 1] - mu, e = x[i] - mu - from * decay, f = e * inverse, g = 0.5 * (1 - e * f);
        logs += g;
        sum += f * (1 - decay);
        decayb += dt * decay * (f * from + 2 * decay * scale * inverse * g);
    }
    *thetab += seed * (decayb - logs / theta);
    *mub -= seed * sum;
    *sigmab += seed * 2 * logs / sigma;
}
