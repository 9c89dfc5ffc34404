#include <math.h>
#include <stdlib.h>

/* Rotations are made once a camera, their derivatives are gathered, and go back to the rotation vectors at the end. */
void bundle_hand(int ncamera, int npoint, int nobs, const int *restrict view, const int *restrict seen, const double *restrict feature,
                 const double *restrict camera, double *restrict camerab, const double *restrict point, double *restrict pointb, double seed)
{
    double *restrict rotation = calloc(18 * ncamera, sizeof *rotation);
    for (int c = 0; c < ncamera; c++) {
        const double *r = camera + 7 * c;
        double theta = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]), cs = cos(theta), sn = sin(theta), k = 1 - cs;
        double a = r[0] / theta, b = r[1] / theta, d = r[2] / theta;
        double m[9] = {cs + a * a * k,    a * b * k - d * sn, a * d * k + b * sn, a * b * k + d * sn, cs + b * b * k,
                       b * d * k - a * sn, a * d * k - b * sn, b * d * k + a * sn, cs + d * d * k};
        for (int i = 0; i < 9; i++)
            rotation[18 * c + i] = m[i];
    }
    for (int k = 0; k < nobs; k++) {
        const double *cam = camera + 7 * view[k], *p = point + 3 * seen[k];
        double *R = rotation + 18 * view[k], *Rb = R + 9, *cb = camerab + 7 * view[k], *pb = pointb + 3 * seen[k];
        double q0 = R[0] * p[0] + R[1] * p[1] + R[2] * p[2] + cam[3], q1 = R[3] * p[0] + R[4] * p[1] + R[5] * p[2] + cam[4];
        double q2 = R[6] * p[0] + R[7] * p[1] + R[8] * p[2] + cam[5];
        double z = 1 / q2, x = q0 * z, y = q1 * z, f = cam[6];
        double e0 = seed * (f * x - feature[2 * k]), e1 = seed * (f * y - feature[2 * k + 1]);
        double t = e0 * x + e1 * y, fz = f * z, a0 = fz * e0, a1 = fz * e1, a2 = -fz * t;
        cb[6] += t;
        cb[3] += a0;
        cb[4] += a1;
        cb[5] += a2;
        Rb[0] += a0 * p[0]; Rb[1] += a0 * p[1]; Rb[2] += a0 * p[2];
        Rb[3] += a1 * p[0]; Rb[4] += a1 * p[1]; Rb[5] += a1 * p[2];
        Rb[6] += a2 * p[0]; Rb[7] += a2 * p[1]; Rb[8] += a2 * p[2];
        pb[0] += R[0] * a0 + R[3] * a1 + R[6] * a2;
        pb[1] += R[1] * a0 + R[4] * a1 + R[7] * a2;
        pb[2] += R[2] * a0 + R[5] * a1 + R[8] * a2;
    }
    for (int c = 0; c < ncamera; c++) {
        /* R = cos I + (1 - cos) w w' + sin [w]. */
        const double *r = camera + 7 * c, *Rb = rotation + 18 * c + 9;
        double theta = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]), cs = cos(theta), sn = sin(theta), k = 1 - cs;
        double w[3] = {r[0] / theta, r[1] / theta, r[2] / theta}, wb[3], x[3] = {Rb[7] - Rb[5], Rb[2] - Rb[6], Rb[3] - Rb[1]};
        double kb = 0, sb = 0, along = 0;
        for (int i = 0; i < 3; i++) {
            double row = 0;
            for (int j = 0; j < 3; j++) {
                row += (Rb[3 * i + j] + Rb[3 * j + i]) * w[j];
                kb += Rb[3 * i + j] * w[i] * w[j];
            }
            wb[i] = k * row + sn * x[i];
            sb += w[i] * x[i];
            along += w[i] * wb[i];
        }
        double thetab = (kb - Rb[0] - Rb[4] - Rb[8]) * sn + sb * cs;
        for (int i = 0; i < 3; i++)
            camerab[7 * c + i] += thetab * w[i] + (wb[i] - along * w[i]) / theta;
    }
    free(rotation);
}
