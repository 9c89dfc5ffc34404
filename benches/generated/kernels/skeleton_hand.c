#include <math.h>
#include <stdlib.h>

/* The derivative by an angle is the moment of all later position residuals about the axis of that angle: nothing is multiplied on the way back. */
void skeleton_hand(int poses, int joints, const double *restrict target, const double *restrict angle, double *restrict angleb,
                   const double *restrict length, double *restrict lengthb, double seed)
{
    /* A joint keeps its rotation by columns, its position, and the axis of its second angle. */
    double *restrict block = malloc(15 * (joints + 1) * sizeof *block);
    static const double start[15] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (int i = 0; i < 15; i++)
        block[i] = start[i];
    for (int p = 0; p < poses; p++) {
        for (int j = 0; j < joints; j++) {
            const double *a = angle + 3 * (p * joints + j), *R = block + 15 * j;
            double *Q = block + 15 * (j + 1), l = length[j];
            double ca = cos(a[0]), sa = sin(a[0]), cb = cos(a[1]), sb = sin(a[1]), cc = cos(a[2]), sc = sin(a[2]);
            for (int i = 0; i < 3; i++) {
                /* One angle after the other: about z, then y, then x. */
                double x = R[i] * ca + R[3 + i] * sa, y = R[3 + i] * ca - R[i] * sa, z = R[6 + i] * cb + x * sb;
                x = x * cb - R[6 + i] * sb;
                Q[i] = x;
                Q[3 + i] = y * cc + z * sc;
                Q[6 + i] = z * cc - y * sc;
                Q[9 + i] = R[9 + i] + l * x;
                Q[12 + i] = y;
            }
        }
        double f0 = 0, f1 = 0, f2 = 0, m0 = 0, m1 = 0, m2 = 0;
        for (int j = joints; j-- > 0;) {
            int at = 3 * (p * joints + j);
            const double *R = block + 15 * j, *Q = R + 15, *g = target + at;
            f0 += 2 * seed * (Q[9] - g[0]);
            f1 += 2 * seed * (Q[10] - g[1]);
            f2 += 2 * seed * (Q[11] - g[2]);
            lengthb[j] += Q[0] * f0 + Q[1] * f1 + Q[2] * f2;
            double l0 = length[j] * Q[0], l1 = length[j] * Q[1], l2 = length[j] * Q[2];
            m0 += l1 * f2 - l2 * f1;
            m1 += l2 * f0 - l0 * f2;
            m2 += l0 * f1 - l1 * f0;
            angleb[at] += R[6] * m0 + R[7] * m1 + R[8] * m2;
            angleb[at + 1] += Q[12] * m0 + Q[13] * m1 + Q[14] * m2;
            angleb[at + 2] += Q[0] * m0 + Q[1] * m1 + Q[2] * m2;
        }
    }
    free(block);
}
