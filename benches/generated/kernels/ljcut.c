//: head ljcut(ljcut)/(x,sigma,epsilon)
//: int n = 216
//: in double box = 6.72
//: in double cutoff = 2.5
//: active double sigma = 1
//: active double epsilon = 1.2
//: active double x[3 * n] = 1.12 * (i % 3 == 0 ? i / 3 % 6 : i % 3 == 1 ? i / 18 % 6 : i / 108) + 0.05 * sin(5.3 * i)
/* Lennard-Jones energy of atoms in a periodic box, shifted to zero at the cutoff. */
#include <math.h>

static double nearest_image(double d, double box)
{
    if (d > 0.5 * box)
        return d - box;
    if (d < -0.5 * box)
        return d + box;
    return d;
}

static double lennard_jones(double r2, double sigma)
{
    double s2 = sigma * sigma / r2, s6 = s2 * s2 * s2;
    return 4 * (s6 * s6 - s6);
}

double ljcut(int n, double box, double cutoff, double sigma, double epsilon, const double *x)
{
    double energy = 0;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            double r2 = 0;
            for (int k = 0; k < 3; k++) {
                double d = nearest_image(x[3 * i + k] - x[3 * j + k], box);
                r2 += d * d;
            }
            if (r2 < cutoff * cutoff)
                energy += epsilon * (lennard_jones(r2, sigma) - lennard_jones(cutoff * cutoff, sigma));
        }
    return energy;
}
