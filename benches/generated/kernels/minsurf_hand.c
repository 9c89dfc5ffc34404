#include <math.h>

#define N 64

/* A row of cells has its square roots in a loop of their own, the rest are vector loops: fluxes first, then differences of them for both rows of
   points. */
void minsurf_hand(double u[restrict N][N], double ub[restrict N][N], double seed)
{
    double inverse = N - 1, h = 1 / inverse, f = seed * 0.5 * h, low[N], high[N], down[N + 1], right[N + 1], down2[N + 1], right2[N + 1];
    for (int i = 0; i < N - 1; i++) {
        const double *restrict p = u[i], *restrict q = u[i + 1];
        double *restrict pb = ub[i], *restrict qb = ub[i + 1];
        for (int j = 0; j < N - 1; j++) {
            double a = (q[j] - p[j]) * inverse, b = (p[j + 1] - p[j]) * inverse;
            double c = (q[j + 1] - p[j + 1]) * inverse, d = (q[j + 1] - q[j]) * inverse;
            low[j] = 1 + a * a + b * b;
            high[j] = 1 + c * c + d * d;
        }
        for (int j = 0; j < N - 1; j++) {
            low[j] = f / sqrt(low[j]);
            high[j] = f / sqrt(high[j]);
        }
        for (int j = 0; j < N - 1; j++) {
            down[j] = low[j] * (q[j] - p[j]) * inverse;
            right[j + 1] = low[j] * (p[j + 1] - p[j]) * inverse;
            down2[j + 1] = high[j] * (q[j + 1] - p[j + 1]) * inverse;
            right2[j + 1] = high[j] * (q[j + 1] - q[j]) * inverse;
        }
        down[N - 1] = down2[0] = right[0] = right2[0] = right[N] = right2[N] = 0;
        for (int j = 0; j < N; j++) {
            double v = down[j] + down2[j];
            pb[j] += right[j] - right[j + 1] - v;
            qb[j] += right2[j] - right2[j + 1] + v;
        }
    }
}
