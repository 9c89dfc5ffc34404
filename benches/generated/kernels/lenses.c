//: head lenses(lenses)/(radius,gap,glass)
//: int rays = 150
//: int surfaces = 8
//: active double radius[surfaces] = (i % 2 == 0 ? 1 : -1) * (40 + 3 * i)
//: active double gap[surfaces] = i % 2 == 0 ? 4 + 0.1 * i : 2
//: active double glass[surfaces] = i % 2 == 0 ? 1.5 + 0.01 * i : 1
/* Spot size: meridional rays, parallel to the axis, go through spherical surfaces to the image plane, with Snell's law at each. */
#include <math.h>

struct ray {
    double y, z, dy, dz;
};

static void refract(struct ray *ray, double radius, double ratio)
{
    /* The vertex is at z = 0, the centre at z = radius. */
    double cz = ray->z - radius, b = ray->y * ray->dy + cz * ray->dz, c = ray->y * ray->y + cz * cz - radius * radius;
    double root = sqrt(b * b - c), way = radius > 0 ? -b - root : -b + root;
    ray->y += way * ray->dy;
    ray->z += way * ray->dz;
    double ny = -ray->y / radius, nz = (radius - ray->z) / radius;
    double cosine = ny * ray->dy + nz * ray->dz;
    double bend = sqrt(1 - ratio * ratio * (1 - cosine * cosine)) - ratio * cosine;
    ray->dy = ratio * ray->dy + bend * ny;
    ray->dz = ratio * ray->dz + bend * nz;
}

double lenses(int rays, int surfaces, const double *radius, const double *gap, const double *glass)
{
    double sum = 0;
    for (int k = 0; k < rays; k++) {
        struct ray ray = {0.1 + 6.0 * k / rays, -1, 0, 1};
        double index = 1;
        for (int s = 0; s < surfaces; s++) {
            refract(&ray, radius[s], index / glass[s]);
            index = glass[s];
            ray.z -= gap[s];
        }
        double y = ray.y - ray.z * ray.dy / ray.dz;
        sum += y * y;
    }
    return sum / rays;
}
