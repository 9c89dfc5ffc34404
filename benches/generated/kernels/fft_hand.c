#include <math.h>
#include <stdlib.h>

/* The transform is linear and symmetric: its transpose is that of conjugated angles on both sides, done as another transform with a table of
   roots. The primal values are not needed. */
void fft_hand(int bits, double *restrict x, double *restrict xb)
{
    int n = 1 << bits;
    double *restrict w = malloc(n * sizeof *w);
    for (int k = 0; k < n / 2; k++) {
        double angle = 6.283185307179586 * k / n;
        w[2 * k] = cos(angle);
        w[2 * k + 1] = sin(angle);
    }
    for (int i = 1, j = 0; i < n; i++) {
        int bit = n >> 1;
        for (; j & bit; bit >>= 1)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            double r = xb[2 * i], s = xb[2 * i + 1];
            xb[2 * i] = xb[2 * j];
            xb[2 * i + 1] = xb[2 * j + 1];
            xb[2 * j] = r;
            xb[2 * j + 1] = s;
        }
    }
    for (int half = 1, stride = n; half < n; half *= 2, stride /= 2)
        for (int start = 0; start < n; start += 2 * half) {
            double *restrict p = xb + 2 * start, *restrict q = p + 2 * half;
            for (int k = 0; k < half; k++) {
                double c = w[k * stride], s = w[k * stride + 1], vr = q[2 * k] * c - q[2 * k + 1] * s, vi = q[2 * k] * s + q[2 * k + 1] * c;
                q[2 * k] = p[2 * k] - vr;
                q[2 * k + 1] = p[2 * k + 1] - vi;
                p[2 * k] += vr;
                p[2 * k + 1] += vi;
            }
        }
    free(w);
}
