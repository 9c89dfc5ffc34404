#include <math.h>
#include <stdlib.h>

/* The derivative of the loss is probability minus label, which needs one exp a sample and no logarithm. */
void logistic_hand(int n, int d, double penalty, const double *restrict x, const int *restrict label, const double *restrict weight,
                   double *restrict weightb, double bias, double *restrict biasb, double seed)
{
    double sum = 0, scale = seed / n;
    for (int i = 0; i < n; i++) {
        const double *restrict p = x + i * d;
        /* Two sums, as one is a chain of additions. */
        double s0 = bias, s1 = 0;
        int j = 0;
        for (; j + 2 <= d; j += 2) {
            s0 += weight[j] * p[j];
            s1 += weight[j + 1] * p[j + 1];
        }
        if (j < d)
            s0 += weight[j] * p[j];
        double g = scale * (1 / (1 + exp(-s0 - s1)) - (label[i] ? 1 : 0));
        sum += g;
        for (j = 0; j < d; j++)
            weightb[j] += g * p[j];
    }
    *biasb += sum;
    for (int j = 0; j < d; j++)
        weightb[j] += seed * penalty * weight[j];
}
