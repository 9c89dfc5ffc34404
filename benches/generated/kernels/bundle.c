//: head bundle(bundle)/(camera,point)
//: int ncamera = 8
//: int npoint = 150
//: int nobs = 1000
//: int view[nobs] = i % ncamera
//: int seen[nobs] = (i * 37) % npoint
//: in double feature[2 * nobs] = 0.2 * cos(i)
//: active double camera[7 * ncamera] = i % 7 < 3 ? 0.1 + 0.1 * sin(i) : i % 7 < 6 ? 0.2 * cos(i) : 1.1
//: active double point[3 * npoint] = i % 3 == 2 ? 5 + sin(i) : 0.8 * sin(1.7 * i)
/* Bundle adjustment: half the sum of squared reprojection errors. A camera is a rotation vector, a translation and a focal length. */
#include <math.h>

static void cross(const double a[3], const double b[3], double c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static void project(const double *camera, const double *point, double *image)
{
    double theta = sqrt(camera[0] * camera[0] + camera[1] * camera[1] + camera[2] * camera[2]);
    double axis[3], side[3], q[3];
    for (int i = 0; i < 3; i++)
        axis[i] = camera[i] / theta;
    cross(axis, point, side);
    double along = (axis[0] * point[0] + axis[1] * point[1] + axis[2] * point[2]) * (1 - cos(theta));
    for (int i = 0; i < 3; i++)
        q[i] = cos(theta) * point[i] + sin(theta) * side[i] + along * axis[i] + camera[3 + i];
    image[0] = camera[6] * q[0] / q[2];
    image[1] = camera[6] * q[1] / q[2];
}

double bundle(int ncamera, int npoint, int nobs, const int *view, const int *seen, const double *feature, const double *camera, const double *point)
{
    double cost = 0;
    for (int k = 0; k < nobs; k++) {
        double image[2];
        project(&camera[7 * view[k]], &point[3 * seen[k]], image);
        for (int i = 0; i < 2; i++) {
            double e = image[i] - feature[2 * k + i];
            cost += 0.5 * e * e;
        }
    }
    return cost;
}
