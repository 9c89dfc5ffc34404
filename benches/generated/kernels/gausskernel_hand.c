#include <math.h>

/* A pair is done with at once: its exponential serves the value of the weights' derivatives and all others. */
void gausskernel_hand(int n, int d, double width, double *restrict widthb, const double *restrict x, double *restrict xb,
                      const double *restrict weight, double *restrict weightb, double seed)
{
    double scale = 1 / (2 * width * width), spread = 0;
    for (int i = 0; i < n; i++) {
        const double *restrict a = x + i * d;
        double *restrict ab = xb + i * d, wi = weight[i], own = wi;
        for (int j = 0; j < i; j++) {
            const double *restrict b = x + j * d;
            double *restrict bb = xb + j * d, square = 0;
            for (int k = 0; k < d; k++)
                square += (a[k] - b[k]) * (a[k] - b[k]);
            double e = exp(-square * scale), t = 2 * seed * wi * weight[j] * e, f = -2 * scale * t;
            own += weight[j] * e;
            weightb[j] += 2 * seed * wi * e;
            spread += t * square;
            for (int k = 0; k < d; k++) {
                ab[k] += f * (a[k] - b[k]);
                bb[k] -= f * (a[k] - b[k]);
            }
        }
        weightb[i] += 2 * seed * own;
    }
    *widthb += 2 * scale * spread / width;
}
