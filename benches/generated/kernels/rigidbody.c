//: head rigidbody(q,w)/(q,w,inertia)
//: int steps = 1000
//: in double h = 0.005
//: in double torque[3] = 0.1 * (i + 1)
//: active double inertia[3] = 1 + 0.5 * i
//: inout double q[4] = i == 0 ? 1 : 0
//: inout double w[3] = 0.7 - 0.4 * i
/* Orientation quaternion and body rates of a rigid body under a constant torque in the body frame, by semi-implicit Euler steps. */
#include <math.h>

static void quaternion_product(const double *a, const double *b, double *c)
{
    c[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    c[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    c[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    c[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

static void spin(double h, const double *torque, const double *inertia, double *w)
{
    double change[3];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        change[i] = (torque[i] + (inertia[j] - inertia[k]) * w[j] * w[k]) / inertia[i];
    }
    for (int i = 0; i < 3; i++)
        w[i] += h * change[i];
}

static void turn(double h, const double *w, double *q)
{
    double rate[4] = {0, w[0], w[1], w[2]}, change[4], square = 0;
    quaternion_product(q, rate, change);
    for (int i = 0; i < 4; i++) {
        q[i] += 0.5 * h * change[i];
        square += q[i] * q[i];
    }
    for (int i = 0; i < 4; i++)
        q[i] /= sqrt(square);
}

void rigidbody(int steps, double h, const double *torque, const double *inertia, double *q, double *w)
{
    for (int t = 0; t < steps; t++) {
        spin(h, torque, inertia, w);
        turn(h, w, q);
    }
}
