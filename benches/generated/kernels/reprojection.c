//: head reprojection(residual)/(camera,point)
//: int n = 2000
//: active double camera[11] = i < 3 ? 0.1 * (i + 1) : 0.5 + 0.01 * i
//: active double point[3 * n] = i % 3 == 2 ? 4 + sin(i) : 0.7 * sin(1.7 * i)
//: in double feature[2 * n] = 0.2 * cos(i)
//: out double residual[2 * n]
/* A camera of a rotation vector, a centre, a focal length, a principal point and two radial distortions sees n points. */
#include <math.h>

static void rotate(const double *r, const double *p, double *out)
{
    double s = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    if (s > 0) {
        double theta = sqrt(s), c = cos(theta), sn = sin(theta), inverse = 1 / theta;
        double w[3], wp[3];
        for (int i = 0; i < 3; i++)
            w[i] = r[i] * inverse;
        wp[0] = w[1] * p[2] - w[2] * p[1];
        wp[1] = w[2] * p[0] - w[0] * p[2];
        wp[2] = w[0] * p[1] - w[1] * p[0];
        double dot = (w[0] * p[0] + w[1] * p[1] + w[2] * p[2]) * (1 - c);
        for (int i = 0; i < 3; i++)
            out[i] = p[i] * c + wp[i] * sn + w[i] * dot;
    } else {
        out[0] = p[0] + r[1] * p[2] - r[2] * p[1];
        out[1] = p[1] + r[2] * p[0] - r[0] * p[2];
        out[2] = p[2] + r[0] * p[1] - r[1] * p[0];
    }
}

void reprojection(int n, const double *camera, const double *point, const double *feature, double *residual)
{
    for (int k = 0; k < n; k++) {
        double d[3], q[3];
        for (int i = 0; i < 3; i++)
            d[i] = point[3 * k + i] - camera[3 + i];
        rotate(camera, d, q);
        double u = q[0] / q[2], v = q[1] / q[2];
        double r2 = u * u + v * v;
        double distortion = 1 + r2 * (camera[9] + r2 * camera[10]);
        residual[2 * k] = camera[6] * distortion * u + camera[7] - feature[2 * k];
        residual[2 * k + 1] = camera[6] * distortion * v + camera[8] - feature[2 * k + 1];
    }
}
