//: head in_place(in_place,y)/(x,y)
//: result double
//: arg double x[4]
//: arg double y[4]
//: arg int k = 1
#include <math.h>
/* Calls of small functions that change what their arguments stand for while they run. */
static double level_in_place;

/* The value is that from before the array changes. */
static double shift(double *a, double v)
{
    a[0] += 0.5 * v;
    a[1] = sin(a[0] * v);
    return v * a[1];
}

static double grow(double v, int times)
{
    for (int i = 0; i < 3; i++)
        v *= 1 + 0.1 * times;
    return v;
}

static void next_element(int *at, double *a)
{
    *at += 1;
    a[*at] *= 1.5;
}

static double lift(double t)
{
    level_in_place += t * t;
    return level_in_place * t;
}

static double limited(double a, double b)
{
    if (a * b <= 0)
        return 0.1 * a;
    if (a > 2 * b) {
        double t = a - b;
        return t * t + b;
    }
    return a / b;
}

static double rate(double v) { return v * (1 - v); }

static void cross(const double *a, const double *b, double *c)
{
    double t = a[1] * b[2] - a[2] * b[1], s = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
    c[0] = t;
    c[1] = s;
}

static void cross_at_once(const double *a, const double *b, double *c)
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

double in_place(const double *x, double *y, int k)
{
    double s = 0, m[2][3] = {{1, 0.5, 0.25}, {0.3, 2, 1}}, t = 0.3, v = x[3];
    level_in_place = x[0];
    for (int i = 0; i < 3; i++) {
        s += shift(y, y[0]);
        s += shift(y + 1, y[i]);
        t = rate(t) * x[i] + rate(x[i + 1] + rate(t));
        v = rate(v);
        s += lift(0.3 * sin(level_in_place)) + grow(v, i + 1) + grow(x[i] * t, 2);
        s += limited(x[i], x[i + 1] - 0.2) + limited(sin(s), 0.3 * x[0]);
        cross(m[0], x, m[i % 2]);
        cross_at_once(m[1], m[0], m[0]);
        s += m[0][0] * m[1][2];
    }
    int j = k;
    next_element(&j, y);
    s += y[j] * t;
    next_element(&j, y);
    return s + y[j] * v * level_in_place;
}
