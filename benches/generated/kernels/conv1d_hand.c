#include <stdlib.h>

/* A filter at a time. All loops run along the signal, a tap outside; products that are summed up go through partial sums. */
static double dot(int n, const double *restrict a, const double *restrict b)
{
    double s[8] = {0};
    int i = 0;
    for (; i + 8 <= n; i += 8)
        for (int j = 0; j < 8; j++)
            s[j] += a[i + j] * b[i + j];
    for (; i < n; i++)
        s[0] += a[i] * b[i];
    return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
}

void conv1d_hand(int channels, int filters, int n, int width, const double *restrict x, double *restrict xb, const double *restrict kernel,
                 double *restrict kernelb, const double *restrict bias, double *restrict biasb, double *restrict y, double *restrict yb)
{
    int m = n - width + 1;
    double *restrict z = malloc(m * sizeof *z);
    for (int f = 0; f < filters; f++) {
        double *restrict g = yb + f * m, sum = 0;
        for (int i = 0; i < m; i++)
            z[i] = bias[f];
        for (int c = 0; c < channels; c++)
            for (int k = 0; k < width; k++) {
                const double *restrict p = x + c * n + k;
                double w = kernel[(f * channels + c) * width + k];
                for (int i = 0; i < m; i++)
                    z[i] += w * p[i];
            }
        for (int i = 0; i < m; i++) {
            y[f * m + i] = z[i] > 0 ? z[i] : 0.1 * z[i];
            g[i] = z[i] > 0 ? g[i] : 0.1 * g[i];
        }
        for (int i = 0; i < m; i++)
            sum += g[i];
        biasb[f] += sum;
        for (int c = 0; c < channels; c++)
            for (int k = 0; k < width; k++) {
                int at = (f * channels + c) * width + k;
                double *restrict q = xb + c * n + k, w = kernel[at];
                kernelb[at] += dot(m, g, x + c * n + k);
                for (int i = 0; i < m; i++)
                    q[i] += w * g[i];
            }
        for (int i = 0; i < m; i++)
            g[i] = 0;
    }
    free(z);
}
