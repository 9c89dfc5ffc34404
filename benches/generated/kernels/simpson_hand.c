#include <math.h>

/* The derivatives are integrals, too, of the same exponential and angle; on equidistant nodes all of these come by turning and shrinking. */
void simpson_hand(int n, int m, double length, const double *restrict a, double *restrict ab, const double *restrict w, double *restrict wb,
                  double *restrict area, double *restrict areab)
{
    double h = length / (2 * m);
    for (int i = 0; i < n; i++) {
        double shrink = exp(-a[i] * h), c = shrink * cos(w[i] * h), s = shrink * sin(w[i] * h), x = 1, y = 0, sa = 0, sw = 0, sum = 0;
        for (int k = 1; k <= 2 * m; k++) {
            double t = k * h, z = x * c - y * s, f = (k == 2 * m ? 1 : k % 2 == 1 ? 4 : 2) / (1 + t * t);
            y = y * c + x * s;
            x = z;
            sum += f * y;
            sa -= f * t * y;
            sw += f * t * x;
        }
        double g = areab[i] * h / 3;
        area[i] = sum * h / 3;
        ab[i] += g * sa;
        wb[i] += g * sw;
        areab[i] = 0;
    }
}
