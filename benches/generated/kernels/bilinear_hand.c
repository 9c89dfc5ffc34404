#include <math.h>

static int clamp(int i, int most) { return i < 0 ? 0 : i > most ? most : i; }

/* A pixel goes forward and back at once; the transform's derivatives are sums in registers, of a row first. */
void bilinear_hand(int n, const double *restrict transform, double *restrict transformb, const double *restrict image, double *restrict imageb,
                   double *restrict warped, double *restrict warpedb)
{
    double xi = 0, xj = 0, x1 = 0, yi = 0, yj = 0, y1 = 0;
    for (int i = 0; i < n; i++) {
        double startx = transform[0] * i + transform[2], starty = transform[3] * i + transform[5], rowx = 0, rowy = 0;
        for (int j = 0; j < n; j++) {
            double x = startx + transform[1] * j, y = starty + transform[4] * j, fx = floor(x), fy = floor(y), a = x - fx, b = y - fy;
            int p = (int)fx, q = (int)fy;
            int i0 = clamp(p, n - 1) * n, i1 = clamp(p + 1, n - 1) * n, j0 = clamp(q, n - 1), j1 = clamp(q + 1, n - 1);
            double v00 = image[i0 + j0], v10 = image[i1 + j0], v01 = image[i0 + j1], v11 = image[i1 + j1], g = warpedb[i * n + j];
            double d0 = v10 - v00, d1 = v11 - v01, left = v00 + a * d0, right = v01 + a * d1;
            warped[i * n + j] = left + b * (right - left);
            warpedb[i * n + j] = 0;
            double ga = g * a, g0 = g - ga, w11 = ga * b, w01 = g0 * b;
            imageb[i0 + j0] += g0 - w01;
            imageb[i1 + j0] += ga - w11;
            imageb[i0 + j1] += w01;
            imageb[i1 + j1] += w11;
            double xb = g * (d0 + b * (d1 - d0)), yb = g * (right - left);
            rowx += xb;
            rowy += yb;
            xj += xb * j;
            yj += yb * j;
        }
        x1 += rowx;
        y1 += rowy;
        xi += rowx * i;
        yi += rowy * i;
    }
    transformb[0] += xi;
    transformb[1] += xj;
    transformb[2] += x1;
    transformb[3] += yi;
    transformb[4] += yj;
    transformb[5] += y1;
}
