//: head nbody(nbody)/(position,mass)
//: int n = 120
//: in double soft = 0.05
//: active double position[3 * n] = sin(1.3 * i) + 0.01 * i
//: active double mass[n] = 1 + 0.5 * cos(i)
/* Gravity of n bodies with softening: half the sum of squared accelerations plus the potential energy. */
#include <math.h>
#include <stdlib.h>

static double pull(const double *a, const double *b, double soft, double d[3])
{
    double square = soft * soft;
    for (int k = 0; k < 3; k++) {
        d[k] = b[k] - a[k];
        square += d[k] * d[k];
    }
    return 1 / sqrt(square);
}

double nbody(int n, double soft, const double *position, const double *mass)
{
    double *acceleration = calloc(3 * n, sizeof *acceleration), energy = 0, sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            double d[3], inverse = pull(&position[3 * i], &position[3 * j], soft, d), cube = inverse * inverse * inverse;
            energy -= mass[i] * mass[j] * inverse;
            for (int k = 0; k < 3; k++) {
                acceleration[3 * i + k] += mass[j] * cube * d[k];
                acceleration[3 * j + k] -= mass[i] * cube * d[k];
            }
        }
    for (int i = 0; i < 3 * n; i++)
        sum += acceleration[i] * acceleration[i];
    free(acceleration);
    return energy + 0.5 * sum;
}
