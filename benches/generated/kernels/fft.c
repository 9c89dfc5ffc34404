//: head fft(x)/(x)
//: int bits = 11
//: inout double x[(2 << bits)] = sin(0.37 * i) + 0.2 * cos(1.9 * i)
/* Fast Fourier transform of 2^bits complex numbers in place, radix 2: bit reversal, then butterflies. */
#include <math.h>

static void reverse_bits(int n, double *x)
{
    for (int i = 1, j = 0; i < n; i++) {
        int bit = n >> 1;
        for (; j & bit; bit >>= 1)
            j ^= bit;
        j ^= bit;
        if (i < j)
            for (int part = 0; part < 2; part++) {
                double t = x[2 * i + part];
                x[2 * i + part] = x[2 * j + part];
                x[2 * j + part] = t;
            }
    }
}

void fft(int bits, double *x)
{
    int n = 1 << bits;
    reverse_bits(n, x);
    for (int length = 2; length <= n; length *= 2) {
        double angle = -6.283185307179586 / length;
        double stepr = cos(angle), stepi = sin(angle);
        for (int start = 0; start < n; start += length) {
            double wr = 1, wi = 0;
            for (int k = start; k < start + length / 2; k++) {
                int far = k + length / 2;
                double ur = x[2 * k], ui = x[2 * k + 1];
                double vr = x[2 * far] * wr - x[2 * far + 1] * wi, vi = x[2 * far] * wi + x[2 * far + 1] * wr;
                x[2 * k] = ur + vr;
                x[2 * k + 1] = ui + vi;
                x[2 * far] = ur - vr;
                x[2 * far + 1] = ui - vi;
                double t = wr * stepr - wi * stepi;
                wi = wr * stepi + wi * stepr;
                wr = t;
            }
        }
    }
}
