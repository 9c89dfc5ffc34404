#include <math.h>
#include <stdlib.h>

/* Seven numbers a step are kept, and the norm: the way back has no square root and no division. */
void rigidbody_hand(int steps, double h, const double *restrict torque, const double *restrict inertia, double *restrict inertiab,
                    double *restrict q, double *restrict qb, double *restrict w, double *restrict wb)
{
    double *restrict keep = malloc(8 * (size_t)(steps + 1) * sizeof *keep);
    double v0 = 1 / inertia[0], v1 = 1 / inertia[1], v2 = 1 / inertia[2], g = 0.5 * h;
    double d0 = inertia[1] - inertia[2], d1 = inertia[2] - inertia[0], d2 = inertia[0] - inertia[1];
    double q0 = q[0], q1 = q[1], q2 = q[2], q3 = q[3], w0 = w[0], w1 = w[1], w2 = w[2];
    for (int t = 0; t < steps; t++) {
        double *k = keep + 8 * t;
        k[0] = q0; k[1] = q1; k[2] = q2; k[3] = q3;
        k[4] = w0; k[5] = w1; k[6] = w2;
        double c0 = (torque[0] + d0 * w1 * w2) * v0, c1 = (torque[1] + d1 * w2 * w0) * v1, c2 = (torque[2] + d2 * w0 * w1) * v2;
        w0 += h * c0;
        w1 += h * c1;
        w2 += h * c2;
        double a0 = q0 - g * (q1 * w0 + q2 * w1 + q3 * w2), a1 = q1 + g * (q0 * w0 + q2 * w2 - q3 * w1);
        double a2 = q2 + g * (q0 * w1 - q1 * w2 + q3 * w0), a3 = q3 + g * (q0 * w2 + q1 * w1 - q2 * w0);
        double n = 1 / sqrt(a0 * a0 + a1 * a1 + a2 * a2 + a3 * a3);
        k[7] = n;
        q0 = a0 * n;
        q1 = a1 * n;
        q2 = a2 * n;
        q3 = a3 * n;
    }
    double *last = keep + 8 * steps;
    last[0] = q0; last[1] = q1; last[2] = q2; last[3] = q3;
    last[4] = w0; last[5] = w1; last[6] = w2;
    double p0 = qb[0], p1 = qb[1], p2 = qb[2], p3 = qb[3], u0 = wb[0], u1 = wb[1], u2 = wb[2];
    double d0b = 0, d1b = 0, d2b = 0, v0b = 0, v1b = 0, v2b = 0;
    for (int t = steps; t-- > 0;) {
        const double *k = keep + 8 * t, *m = k + 8;
        double dot = p0 * m[0] + p1 * m[1] + p2 * m[2] + p3 * m[3], n = k[7];
        double a0 = (p0 - dot * m[0]) * n, a1 = (p1 - dot * m[1]) * n, a2 = (p2 - dot * m[2]) * n, a3 = (p3 - dot * m[3]) * n;
        double x0 = m[4], x1 = m[5], x2 = m[6];
        q0 = k[0]; q1 = k[1]; q2 = k[2]; q3 = k[3];
        p0 = a0 + g * (a1 * x0 + a2 * x1 + a3 * x2);
        p1 = a1 + g * (-a0 * x0 - a2 * x2 + a3 * x1);
        p2 = a2 + g * (-a0 * x1 + a1 * x2 - a3 * x0);
        p3 = a3 + g * (-a0 * x2 - a1 * x1 + a2 * x0);
        u0 += g * (-a0 * q1 + a1 * q0 + a2 * q3 - a3 * q2);
        u1 += g * (-a0 * q2 - a1 * q3 + a2 * q0 + a3 * q1);
        u2 += g * (-a0 * q3 + a1 * q2 - a2 * q1 + a3 * q0);
        /* Now the rates: each product w_j w_k with its coefficient. */
        w0 = k[4]; w1 = k[5]; w2 = k[6];
        v0b += u0 * (torque[0] + d0 * w1 * w2);
        v1b += u1 * (torque[1] + d1 * w2 * w0);
        v2b += u2 * (torque[2] + d2 * w0 * w1);
        double s0 = h * v0 * u0, s1 = h * v1 * u1, s2 = h * v2 * u2;
        d0b += s0 * w1 * w2;
        d1b += s1 * w2 * w0;
        d2b += s2 * w0 * w1;
        s0 *= d0;
        s1 *= d1;
        s2 *= d2;
        u0 += s1 * w2 + s2 * w1;
        u1 += s0 * w2 + s2 * w0;
        u2 += s0 * w1 + s1 * w0;
    }
    qb[0] = p0; qb[1] = p1; qb[2] = p2; qb[3] = p3;
    wb[0] = u0; wb[1] = u1; wb[2] = u2;
    inertiab[0] += d2b - d1b - h * v0b * v0 * v0;
    inertiab[1] += d0b - d2b - h * v1b * v1 * v1;
    inertiab[2] += d1b - d0b - h * v2b * v2 * v2;
    free(keep);
}
