#include <math.h>
#include <stdlib.h>

/* Sines and cosines of the two angles are kept: that of the difference, and the height, come from them without another function. */
void pendulum_hand(int n, int steps, double h, double mass, double *restrict massb, const double *restrict first, double *restrict firstb,
                   const double *restrict second, double *restrict secondb, double seed)
{
    const double g = 9.81;
    double *restrict keep = malloc(6 * (size_t)(steps + 1) * sizeof *keep), mb = 0, m = mass, m1 = 1 + mass;
    seed = 2 * seed / ((double)n * steps);
    for (int i = 0; i < n; i++) {
        double a = first[i], b = second[i], u = 0, v = 0;
        for (int t = 0; t <= steps; t++) {
            double *k = keep + 6 * t, sa = sin(a), ca = cos(a), sb = sin(b), cb = cos(b);
            k[0] = sa; k[1] = ca; k[2] = sb; k[3] = cb; k[4] = u; k[5] = v;
            if (t == steps)
                break;
            double s = sa * cb - ca * sb, c = ca * cb + sa * sb, d = h / (1 + m * s * s), uu = u * u, vv = v * v;
            u += d * (m * (g * sb * c - s * (uu * c + vv)) - m1 * g * sa);
            v += d * (m1 * (uu * s - g * sb + g * sa * c) + m * vv * s * c);
            a += h * u;
            b += h * v;
        }
        double ab = 0, bb = 0, ub = 0, vb = 0;
        for (int t = steps; t-- > 0;) {
            const double *k = keep + 6 * t, *q = k + 6;
            double w = seed * (2 - q[1] - q[3]);
            ab += w * q[0];
            bb += w * q[2];
            ub += h * ab;
            vb += h * bb;
            double sa = k[0], ca = k[1], sb = k[2], cb = k[3], s = sa * cb - ca * sb, c = ca * cb + sa * sb, uu, vv;
            u = k[4];
            v = k[5];
            uu = u * u;
            vv = v * v;
            double d = h / (1 + m * s * s), x = d * ub, y = d * vb;
            double e = uu * c + vv, f = g * sb * c - s * e, o = uu * s - g * sb + g * sa * c;
            /* The quotients themselves are the changes of the speeds. */
            double db = -(ub * (q[4] - u) + vb * (q[5] - v)) * (d / h);
            mb += x * (f - g * sa) + y * (o + vv * s * c) + db * s * s;
            double sbar = y * (m1 * uu + m * vv * c) - x * m * e + 2 * db * m * s;
            double cbar = x * m * (g * sb - s * uu) + y * (m1 * g * sa + m * vv * s);
            double diff = sbar * c - cbar * s;
            ub += 2 * u * s * (y * m1 - x * m * c);
            vb += 2 * v * s * m * (y * c - x);
            ab += diff + g * m1 * ca * (y * c - x);
            bb += g * cb * (x * m * c - y * m1) - diff;
        }
        firstb[i] += ab;
        secondb[i] += bb;
    }
    *massb += mb;
    free(keep);
}
