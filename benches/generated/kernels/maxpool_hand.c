#include <math.h>

/* The clip rises, so that the largest of the scaled numbers wins: one clip a cell of the result, and one place that gets a derivative. */
void maxpool_hand(int planes, int n, const double *restrict scale, double *restrict scaleb, const double *restrict x, double *restrict xb,
                  double *restrict y, double *restrict yb)
{
    int m = n / 2;
    for (int p = 0; p < planes; p++) {
        double s = scale[p], sum = 0;
        for (int i = 0; i < m; i++) {
            const double *restrict top = x + (p * n + 2 * i) * n, *restrict low = top + n;
            double *restrict topb = xb + (p * n + 2 * i) * n, *restrict lowb = topb + n, *restrict g = yb + (p * m + i) * m;
            for (int j = 0; j < m; j++) {
                double a = s * top[2 * j], b = s * top[2 * j + 1], c = s * low[2 * j], d = s * low[2 * j + 1];
                double ab = a >= b ? a : b, cd = c >= d ? c : d, z = ab >= cd ? ab : cd, r = 1 / z;
                double slope = z > 1 || z < -1 ? r * r : 1, w = g[j] * slope, t = s * w;
                y[(p * m + i) * m + j] = z > 1 ? 2 - r : z < -1 ? -2 - r : z;
                g[j] = 0;
                /* Branch-free: three of the four get nothing. */
                int upper = ab >= cd, left = a >= b, left2 = c >= d;
                sum += w * (upper ? left ? top[2 * j] : top[2 * j + 1] : left2 ? low[2 * j] : low[2 * j + 1]);
                topb[2 * j] += upper && left ? t : 0;
                topb[2 * j + 1] += upper && !left ? t : 0;
                lowb[2 * j] += !upper && left2 ? t : 0;
                lowb[2 * j + 1] += !upper && !left2 ? t : 0;
            }
        }
        scaleb[p] += sum;
    }
}
