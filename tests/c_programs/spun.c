//: head spun(spun)/(x,a)
//: result double
//: arg int n = 3
//: arg int m = 4
//: arg double x[12]
//: arg double a[2]
#include <math.h>
/* Chains in a loop: each hands a small state on from one link to the next, and the next chain starts anew. */
static void turn(double angle, double q[2][2])
{
    double c = cos(angle), s = sin(angle);
    q[0][0] = c;
    q[0][1] = -s;
    q[1][0] = s;
    q[1][1] = c;
}

static double bent(double z) { return z > 0 ? z / (1 + z) : 0.5 * z; }

double spun(int n, int m, const double *x, const double *a)
{
    double total = 0;
    for (int i = 0; i < n; i++) {
        double w[2][2] = {{1, 0}, {0, 1}}, level = a[0];
        for (int j = 0; j < m; j++) {
            double q[2][2], next[2][2];
            turn(x[i * m + j], q);
            for (int r = 0; r < 2; r++)
                for (int c = 0; c < 2; c++)
                    next[r][c] = w[r][0] * q[0][c] + w[r][1] * q[1][c] * a[1];
            level = bent(level * next[0][0] + next[1][0]) * w[1][1];
            for (int r = 0; r < 2; r++)
                for (int c = 0; c < 2; c++)
                    w[r][c] = next[r][c];
            total += level * level + sin(w[0][1] * level);
        }
        total += w[0][0] * w[1][1];
    }
    return total;
}
