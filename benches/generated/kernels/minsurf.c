//: head minsurf(minsurf)/(u)
//: active double u[64 * 64] = 0.5 * sin(0.1 * (i / 64)) * cos(0.13 * (i % 64)) + 0.01 * sin(i)
/* Area of a surface over the unit square, given by heights on a grid: each cell is two triangles. */
#include <math.h>

#define N 64

static double triangle(double dx, double dy) { return 0.5 * sqrt(1 + dx * dx + dy * dy); }

double minsurf(double u[N][N])
{
    double area = 0, h = 1.0 / (N - 1);
    for (int i = 0; i < N - 1; i++)
        for (int j = 0; j < N - 1; j++) {
            area += triangle((u[i + 1][j] - u[i][j]) / h, (u[i][j + 1] - u[i][j]) / h);
            area += triangle((u[i + 1][j + 1] - u[i][j + 1]) / h, (u[i + 1][j + 1] - u[i + 1][j]) / h);
        }
    return area * h * h;
}
