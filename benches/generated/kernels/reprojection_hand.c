#include <math.h>

void reprojection_hand(int n, const double *restrict camera, double *restrict camerab, const double *restrict point, double *restrict pointb,
                       const double *restrict feature, double *restrict residual, double *restrict residualb)
{
    /* What depends on the camera alone is found once. */
    double s = camera[0] * camera[0] + camera[1] * camera[1] + camera[2] * camera[2];
    double theta = s > 0 ? sqrt(s) : 0, c = cos(theta), sn = sin(theta), inverse = s > 0 ? 1 / theta : 0;
    double w0 = camera[0] * inverse, w1 = camera[1] * inverse, w2 = camera[2] * inverse;
    double R[9];
    if (s > 0) {
        double k = 1 - c;
        double m[9] = {c + w0 * w0 * k,      w0 * w1 * k - w2 * sn, w0 * w2 * k + w1 * sn, w0 * w1 * k + w2 * sn, c + w1 * w1 * k,
                       w1 * w2 * k - w0 * sn, w0 * w2 * k - w1 * sn, w1 * w2 * k + w0 * sn, c + w2 * w2 * k};
        for (int i = 0; i < 9; i++)
            R[i] = m[i];
    } else {
        double m[9] = {1, -camera[2], camera[1], camera[2], 1, -camera[0], -camera[1], camera[0], 1};
        for (int i = 0; i < 9; i++)
            R[i] = m[i];
    }
    double f = camera[6], k1 = camera[9], k2 = camera[10];
    double Rb[9] = {0}, centreb[3] = {0}, fb = 0, x0b = 0, y0b = 0, k1b = 0, k2b = 0;
    for (int k = 0; k < n; k++) {
        double d0 = point[3 * k] - camera[3], d1 = point[3 * k + 1] - camera[4], d2 = point[3 * k + 2] - camera[5];
        double q0 = R[0] * d0 + R[1] * d1 + R[2] * d2, q1 = R[3] * d0 + R[4] * d1 + R[5] * d2, q2 = R[6] * d0 + R[7] * d1 + R[8] * d2;
        double z = 1 / q2, u = q0 * z, v = q1 * z, r2 = u * u + v * v, g = 1 + r2 * (k1 + r2 * k2);
        residual[2 * k] = f * g * u + camera[7] - feature[2 * k];
        residual[2 * k + 1] = f * g * v + camera[8] - feature[2 * k + 1];
        double a = residualb[2 * k], b = residualb[2 * k + 1];
        residualb[2 * k] = 0;
        residualb[2 * k + 1] = 0;
        double t = a * u + b * v;
        x0b += a;
        y0b += b;
        fb += g * t;
        double gb = f * t, r2b = gb * (k1 + 2 * r2 * k2);
        k1b += gb * r2;
        k2b += gb * r2 * r2;
        double ub = f * g * a + 2 * u * r2b, vb = f * g * b + 2 * v * r2b;
        double q0b = ub * z, q1b = vb * z, q2b = -(ub * u + vb * v) * z;
        Rb[0] += q0b * d0; Rb[1] += q0b * d1; Rb[2] += q0b * d2;
        Rb[3] += q1b * d0; Rb[4] += q1b * d1; Rb[5] += q1b * d2;
        Rb[6] += q2b * d0; Rb[7] += q2b * d1; Rb[8] += q2b * d2;
        double d0b = R[0] * q0b + R[3] * q1b + R[6] * q2b, d1b = R[1] * q0b + R[4] * q1b + R[7] * q2b, d2b = R[2] * q0b + R[5] * q1b + R[8] * q2b;
        pointb[3 * k] += d0b;
        pointb[3 * k + 1] += d1b;
        pointb[3 * k + 2] += d2b;
        centreb[0] += d0b;
        centreb[1] += d1b;
        centreb[2] += d2b;
    }
    for (int i = 0; i < 3; i++)
        camerab[3 + i] -= centreb[i];
    camerab[6] += fb;
    camerab[7] += x0b;
    camerab[8] += y0b;
    camerab[9] += k1b;
    camerab[10] += k2b;
    if (s > 0) {
        /* R = c I + (1 - c) w w' + sn [w]. */
        double k = 1 - c, w[3] = {w0, w1, w2}, wb[3];
        double trace = Rb[0] + Rb[4] + Rb[8];
        double x[3] = {Rb[7] - Rb[5], Rb[2] - Rb[6], Rb[3] - Rb[1]};
        double kb = 0, snb = 0;
        for (int i = 0; i < 3; i++) {
            double row = 0;
            for (int j = 0; j < 3; j++) {
                row += (Rb[3 * i + j] + Rb[3 * j + i]) * w[j];
                kb += Rb[3 * i + j] * w[i] * w[j];
            }
            wb[i] = k * row + sn * x[i];
            snb += w[i] * x[i];
        }
        double thetab = (kb - trace) * sn + snb * c;
        double along = w[0] * wb[0] + w[1] * wb[1] + w[2] * wb[2];
        for (int i = 0; i < 3; i++)
            camerab[i] += thetab * w[i] + (wb[i] - along * w[i]) * inverse;
    } else {
        camerab[0] += Rb[7] - Rb[5];
        camerab[1] += Rb[2] - Rb[6];
        camerab[2] += Rb[3] - Rb[1];
    }
}
