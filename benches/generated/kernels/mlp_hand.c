#include <math.h>
#include <stdlib.h>

/* By one exponential; absolute accuracy is all that is needed. */
static double fast_tanh(double z) { return 1 - 2 / (exp(2 * z) + 1); }

/* One sample after the other, forward and back. The matrices are transposed once so that products run over contiguous rows of units. */
void mlp_hand(int n, int d, int m, int k, const double *restrict x, const int *restrict label, const double *restrict w1, double *restrict w1b,
              const double *restrict b1, double *restrict b1b, const double *restrict w2, double *restrict w2b, const double *restrict b2,
              double *restrict b2b, double seed)
{
    double *block = malloc((m * d + m * k + 2 * m + k) * sizeof *block);
    double *restrict t1 = block, *restrict t2 = t1 + m * d, *restrict h = t2 + m * k, *restrict hb = h + m, *restrict y = hb + m;
    for (int r = 0; r < m; r++)
        for (int c = 0; c < d; c++)
            t1[c * m + r] = w1[r * d + c];
    for (int r = 0; r < k; r++)
        for (int c = 0; c < m; c++)
            t2[c * k + r] = w2[r * m + c];
    double scale = seed / n;
    for (int i = 0; i < n; i++) {
        const double *restrict p = x + i * d;
        for (int r = 0; r < m; r++)
            h[r] = b1[r];
        for (int c = 0; c < d; c++)
            for (int r = 0; r < m; r++)
                h[r] += t1[c * m + r] * p[c];
        for (int r = 0; r < k; r++)
            y[r] = b2[r];
        for (int c = 0; c < m; c++) {
            h[c] = fast_tanh(h[c]);
            hb[c] = 0;
            for (int r = 0; r < k; r++)
                y[r] += t2[c * k + r] * h[c];
        }
        double most = y[0], sum = 0;
        for (int r = 1; r < k; r++)
            most = y[r] > most ? y[r] : most;
        for (int r = 0; r < k; r++) {
            y[r] = exp(y[r] - most);
            sum += y[r];
        }
        sum = scale / sum;
        for (int r = 0; r < k; r++) {
            double a = y[r] * sum - (r == label[i] ? scale : 0);
            b2b[r] += a;
            for (int c = 0; c < m; c++) {
                w2b[r * m + c] += a * h[c];
                hb[c] += a * w2[r * m + c];
            }
        }
        for (int r = 0; r < m; r++) {
            double a = hb[r] * (1 - h[r] * h[r]);
            b1b[r] += a;
            for (int c = 0; c < d; c++)
                w1b[r * d + c] += a * p[c];
        }
    }
    free(block);
}
