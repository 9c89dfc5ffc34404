#include <math.h>
#include <stdlib.h>

/* The covariance is symmetric, which leaves three numbers of it. A step keeps what the update starts from, with 1 / s: the way back divides
   nothing. */
void kalman_hand(int n, double dt, const double *restrict seen, double q, double *restrict qb, double r, double *restrict rb, double drag,
                 double *restrict dragb, double seed)
{
    double *restrict keep = malloc(8 * (size_t)n * sizeof *keep), g = 1 - drag * dt, q0 = q * dt * dt * dt / 3, q1 = q * dt * dt / 2, q2 = q * dt;
    double x = 0, v = 0, a = 1, b = 0, c = 1;
    for (int t = 0; t < n; t++) {
        double *k = keep + 8 * t;
        k[6] = v;
        k[7] = c;
        x += dt * v;
        v *= g;
        a += dt * (2 * b + dt * c) + q0;
        k[5] = b + dt * c;
        b = g * k[5] + q1;
        c = g * g * c + q2;
        double w = 1 / (a + r), e = (seen[t] - x) * w;
        k[0] = e;
        k[1] = w;
        k[2] = a;
        k[3] = b;
        k[4] = c;
        x += a * e;
        v += b * e;
        c -= b * b * w;
        b *= r * w;
        a *= r * w;
    }
    double xb = 0, vb = 0, ab = 0, bb = 0, cb = 0, rs = 0, qs = 0, gb = 0;
    for (int t = n; t-- > 0;) {
        const double *k = keep + 8 * t;
        double e = k[0], w = k[1], k2 = k[2], k3 = k[3], rw = r * w;
        /* With e the innovation over s: the cost has derivatives e by the innovation, and (w - e e) / 2 by s. */
        double eb = xb * k2 + vb * k3, wb = r * (ab * k2 + bb * k3) - cb * k3 * k3;
        double sb = 0.5 * (w - e * e) * seed - w * (eb * e + wb * w);
        rs += sb + w * (ab * k2 + bb * k3);
        ab = ab * rw + xb * e + sb;
        bb = bb * rw + vb * e - 2 * cb * k3 * w;
        xb -= eb * w + seed * e;
        /* Prediction; b before it, plus dt c, is k[5]. */
        qs += ab * dt * dt / 3 + bb * dt / 2 + cb;
        gb += vb * k[6] + bb * k[5] + 2 * g * cb * k[7];
        vb = vb * g + dt * xb;
        cb = cb * g * g + dt * (bb * g + dt * ab);
        bb = bb * g + 2 * dt * ab;
    }
    *qb += qs * dt;
    *rb += rs;
    *dragb -= dt * gb;
    free(keep);
}
