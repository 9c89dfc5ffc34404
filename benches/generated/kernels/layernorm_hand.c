#include <math.h>
#include <stdlib.h>

/* Row by row. With h the normalized row and g its derivative, x gets (g - mean(g) - h mean(g h)) / deviation. Sums run over four partial ones. */
static void sums(int n, const double *restrict g, const double *restrict h, double *restrict a, double *restrict b)
{
    double s[4] = {0}, t[4] = {0};
    int i = 0;
    for (; i + 4 <= n; i += 4)
        for (int j = 0; j < 4; j++) {
            s[j] += g[i + j];
            t[j] += g[i + j] * h[i + j];
        }
    for (; i < n; i++) {
        s[0] += g[i];
        t[0] += g[i] * h[i];
    }
    *a = (s[0] + s[1]) + (s[2] + s[3]);
    *b = (t[0] + t[1]) + (t[2] + t[3]);
}

void layernorm_hand(int rows, int n, const double *restrict gain, double *restrict gainb, const double *restrict shift, double *restrict shiftb,
                    const double *restrict x, double *restrict xb, double *restrict y, double *restrict yb)
{
    double *restrict h = malloc(2 * n * sizeof *h), *restrict g = h + n;
    for (int r = 0; r < rows; r++) {
        const double *restrict p = x + r * n;
        double mean, mean2, square, unused;
        sums(n, p, p, &mean, &unused);
        mean /= n;
        for (int i = 0; i < n; i++)
            h[i] = p[i] - mean;
        sums(n, h, h, &unused, &square);
        double inverse = 1 / sqrt(square / n + 1e-5);
        for (int i = 0; i < n; i++) {
            h[i] *= inverse;
            g[i] = 1 / (1 + exp(-(gain[i] * h[i] + shift[i])));
        }
        for (int i = 0; i < n; i++) {
            double z = gain[i] * h[i] + shift[i], s = g[i], t = yb[r * n + i] * s * (1 + z * (1 - s));
            y[r * n + i] = z * s;
            yb[r * n + i] = 0;
            gainb[i] += t * h[i];
            shiftb[i] += t;
            g[i] = t * gain[i];
        }
        sums(n, g, h, &mean, &mean2);
        mean /= n;
        mean2 /= n;
        for (int i = 0; i < n; i++)
            xb[r * n + i] += inverse * (g[i] - mean - h[i] * mean2);
    }
    free(h);
}
