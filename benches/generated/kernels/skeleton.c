//: head skeleton(skeleton)/(angle,length)
//: int poses = 60
//: int joints = 12
//: in double target[3 * joints * poses] = 0.4 * sin(0.3 * i)
//: active double angle[3 * joints * poses] = 0.5 * sin(1.1 * i)
//: active double length[joints] = 0.3 + 0.02 * i
/* Poses of a chain of bones against measured joint positions. Each joint turns by three Euler angles and carries a bone along its x axis. */
#include <math.h>

static void joint_transform(const double *angle, double length, double t[4][4])
{
    double ca = cos(angle[0]), sa = sin(angle[0]), cb = cos(angle[1]), sb = sin(angle[1]), cc = cos(angle[2]), sc = sin(angle[2]);
    t[0][0] = ca * cb;
    t[0][1] = ca * sb * sc - sa * cc;
    t[0][2] = ca * sb * cc + sa * sc;
    t[1][0] = sa * cb;
    t[1][1] = sa * sb * sc + ca * cc;
    t[1][2] = sa * sb * cc - ca * sc;
    t[2][0] = -sb;
    t[2][1] = cb * sc;
    t[2][2] = cb * cc;
    for (int i = 0; i < 3; i++) {
        t[i][3] = length * t[i][0];
        t[3][i] = 0;
    }
    t[3][3] = 1;
}

static void multiply(double a[4][4], double b[4][4], double c[4][4])
{
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            c[i][j] = 0;
            for (int k = 0; k < 4; k++)
                c[i][j] += a[i][k] * b[k][j];
        }
}

double skeleton(int poses, int joints, const double *target, const double *angle, const double *length)
{
    double cost = 0;
    for (int p = 0; p < poses; p++) {
        double world[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
        for (int j = 0; j < joints; j++) {
            double local[4][4], next[4][4];
            int at = 3 * (p * joints + j);
            joint_transform(angle + at, length[j], local);
            multiply(world, local, next);
            for (int r = 0; r < 4; r++)
                for (int c = 0; c < 4; c++)
                    world[r][c] = next[r][c];
            for (int r = 0; r < 3; r++) {
                double e = world[r][3] - target[at + r];
                cost += e * e;
            }
        }
    }
    return cost;
}
