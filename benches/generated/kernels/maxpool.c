//: head maxpool(y)/(x,scale)
//: int planes = 8
//: int n = 64
//: active double scale[planes] = 1 + 0.1 * i
//: active double x[planes * n * n] = sin(0.77 * i) + 0.2 * cos(0.013 * i)
//: out double y[planes * (n / 2) * (n / 2)]
/* Each plane is scaled, clipped softly beyond one, and pooled: the most of two by two cells. */
#include <math.h>

static double clip(double z)
{
    if (z > 1)
        return 2 - 1 / z;
    if (z < -1)
        return -2 - 1 / z;
    return z;
}

void maxpool(int planes, int n, const double *scale, const double *x, double *y)
{
    int m = n / 2;
    for (int p = 0; p < planes; p++)
        for (int i = 0; i < m; i++)
            for (int j = 0; j < m; j++) {
                double most = -INFINITY;
                for (int a = 0; a < 2; a++)
                    for (int b = 0; b < 2; b++) {
                        double v = clip(scale[p] * x[(p * n + 2 * i + a) * n + 2 * j + b]);
                        if (v > most)
                            most = v;
                    }
                y[(p * m + i) * m + j] = most;
            }
}
