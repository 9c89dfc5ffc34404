//: head pendulum(pendulum)/(first,second,mass)
//: int n = 20
//: int steps = 60
//: in double h = 0.01
//: active double mass = 0.5
//: active double first[n] = 0.5 + 0.02 * i
//: active double second[n] = 0.3 * cos(0.2 * i)
/* Mean squared height of the lower bob of n double pendulums at rest at first, by semi-implicit Euler steps. Lengths are one, mass is that of
   the lower bob. */
#include <math.h>

struct pendulum {
    double a, b, va, vb;
};

static void accelerate(const struct pendulum *p, double mass, double *aa, double *ab)
{
    const double g = 9.81;
    double s = sin(p->a - p->b), c = cos(p->a - p->b), denominator = 1 + mass * s * s;
    *aa = (mass * (g * sin(p->b) * c - s * (p->va * p->va * c + p->vb * p->vb)) - (1 + mass) * g * sin(p->a)) / denominator;
    *ab = ((1 + mass) * (p->va * p->va * s - g * sin(p->b) + g * sin(p->a) * c) + mass * p->vb * p->vb * s * c) / denominator;
}

static double run(int steps, double h, double mass, struct pendulum p)
{
    double sum = 0;
    for (int t = 0; t < steps; t++) {
        double aa, ab;
        accelerate(&p, mass, &aa, &ab);
        p.va += h * aa;
        p.vb += h * ab;
        p.a += h * p.va;
        p.b += h * p.vb;
        double height = 2 - cos(p.a) - cos(p.b);
        sum += height * height;
    }
    return sum / steps;
}

double pendulum(int n, int steps, double h, double mass, const double *first, const double *second)
{
    double total = 0;
    for (int i = 0; i < n; i++) {
        struct pendulum start = {first[i], second[i], 0, 0};
        total += run(steps, h, mass, start);
    }
    return total / n;
}
