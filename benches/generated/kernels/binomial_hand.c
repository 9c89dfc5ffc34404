#include <math.h>
#include <stdlib.h>

/* Exercise happens below a boundary that one number a level keeps: the put is exercised for the lowest prices. Where it is held, values of the
   level behind are needed for the derivative by the probability, so that levels are kept. */
void binomial_hand(int n, double maturity, double spot, double *restrict spotb, double strike, double *restrict strikeb, double sigma,
                   double *restrict sigmab, double rate, double *restrict rateb, double seed)
{
    double dt = maturity / n, root = sqrt(dt), up = exp(sigma * root), down = 1 / up, grow = exp(rate * dt), discount = exp(-rate * dt);
    double p = (grow - down) / (up - down), q = 1 - p, a = discount * p, b = discount * q;
    size_t cells = (size_t)(n + 1) * (n + 2) / 2;
    double *block = malloc((cells + 2 * n + 1 + n + 1) * sizeof *block), *restrict price = block + cells, *restrict adj = price + 2 * n + 1;
    int *restrict edge = malloc((n + 1) * sizeof *edge);
    /* Prices of all levels are powers of up. */
    price[n] = spot;
    for (int k = 1; k <= n; k++) {
        price[n + k] = price[n + k - 1] * up;
        price[n - k] = price[n - k + 1] * down;
    }
    double *restrict last = block + (size_t)n * (n + 1) / 2;
    edge[n] = 0;
    for (int j = 0; j <= n; j++) {
        double gain = strike - price[2 * j];
        edge[n] += gain > 0;
        last[j] = gain > 0 ? gain : 0;
    }
    for (int t = n - 1; t >= 0; t--) {
        const double *restrict v = block + (size_t)(t + 1) * (t + 2) / 2, *restrict s = price + n - t;
        double *restrict w = block + (size_t)t * (t + 1) / 2;
        int exercised = 0;
        for (int j = 0; j <= t; j++) {
            double hold = a * v[j + 1] + b * v[j], gain = strike - s[2 * j];
            exercised += gain > hold;
            w[j] = gain > hold ? gain : hold;
        }
        edge[t] = exercised;
    }
    double ab = 0, bb = 0, kb = 0, sb = 0, ub = 0;
    for (int j = 0; j <= n; j++)
        adj[j] = 0;
    adj[0] = seed;
    for (int t = 0; t < n; t++) {
        const double *restrict v = block + (size_t)(t + 1) * (t + 2) / 2, *restrict s = price + n - t;
        for (int j = 0; j < edge[t]; j++) {
            kb += adj[j];
            sb -= adj[j] * s[2 * j];
            ub -= adj[j] * s[2 * j] * (2 * j - t);
        }
        /* From the top down, a value is given to the two behind it. */
        double above = 0;
        for (int j = edge[t]; j <= t; j++) {
            double w = adj[j];
            ab += w * v[j + 1];
            bb += w * v[j];
            adj[j] = b * w + above;
            above = a * w;
        }
        for (int j = 0; j < edge[t]; j++)
            adj[j] = 0;
        adj[t + 1] = above;
    }
    for (int j = 0; j < edge[n]; j++) {
        kb += adj[j];
        sb -= adj[j] * price[2 * j];
        ub -= adj[j] * price[2 * j] * (2 * j - n);
    }
    double pb = discount * (ab - bb), db = p * ab + q * bb, w = 1 / (up - down);
    double upb = ub / up - pb * p * w, downb = pb * (p - 1) * w;
    *spotb += sb / spot;
    *strikeb += kb;
    *rateb += dt * (pb * w * grow - db * discount);
    *sigmab += root * (upb * up - downb * down);
    free(block);
    free(edge);
}
