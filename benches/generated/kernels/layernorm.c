//: head layernorm(y)/(x,gain,shift)
//: int rows = 100
//: int n = 64
//: active double gain[n] = 1 + 0.1 * sin(i)
//: active double shift[n] = 0.05 * cos(i)
//: active double x[rows * n] = sin(1.9 * i) + 0.3 * cos(0.01 * i)
//: out double y[rows * n]
/* Rows are brought to mean zero and variance one, scaled and shifted, then pass a smooth rectifier. */
#include <math.h>

static double silu(double z) { return z / (1 + exp(-z)); }

void layernorm(int rows, int n, const double *gain, const double *shift, const double *x, double *y)
{
    double centred[n];
    for (int r = 0; r < rows; r++) {
        double mean = 0, variance = 0;
        for (int i = 0; i < n; i++)
            mean += x[r * n + i];
        mean /= n;
        for (int i = 0; i < n; i++) {
            centred[i] = x[r * n + i] - mean;
            variance += centred[i] * centred[i];
        }
        double inverse = 1 / sqrt(variance / n + 1e-5);
        for (int i = 0; i < n; i++)
            y[r * n + i] = silu(gain[i] * centred[i] * inverse + shift[i]);
    }
}
