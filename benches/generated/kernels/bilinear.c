//: head bilinear(warped)/(image,transform)
//: int n = 80
//: active double transform[6] = i == 0 || i == 4 ? 0.93137 : i == 2 || i == 5 ? 1.37431 : i == 1 ? 0.11173 : -0.07191
//: active double image[n * n] = sin(0.3 * (i / n)) + cos(0.21 * (i % n)) + 0.01 * sin(i)
//: out double warped[n * n]
/* An image is turned and shifted: each pixel is interpolated between four of the source, which is continued beyond its edges by clamping. */
#include <math.h>

static int clamp(int i, int most) { return i < 0 ? 0 : i > most ? most : i; }

static double sample(int n, const double *image, double x, double y)
{
    int i = (int)floor(x), j = (int)floor(y);
    double a = x - i, b = y - j;
    int i0 = clamp(i, n - 1), i1 = clamp(i + 1, n - 1), j0 = clamp(j, n - 1), j1 = clamp(j + 1, n - 1);
    double left = (1 - a) * image[i0 * n + j0] + a * image[i1 * n + j0];
    double right = (1 - a) * image[i0 * n + j1] + a * image[i1 * n + j1];
    return (1 - b) * left + b * right;
}

void bilinear(int n, const double *transform, const double *image, double *warped)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double x = transform[0] * i + transform[1] * j + transform[2];
            double y = transform[3] * i + transform[4] * j + transform[5];
            warped[i * n + j] = sample(n, image, x, y);
        }
}
