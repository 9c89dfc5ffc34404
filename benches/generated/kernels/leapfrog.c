//: head leapfrog(x,v)/(x,v,alpha)
//: int n = 200
//: int steps = 200
//: in double h = 0.05
//: active double alpha = 0.3
//: inout double x[n] = 0.4 * sin(0.1 * i)
//: inout double v[n] = 0.2 * cos(0.23 * i)
/* A chain of n masses between walls, joined by springs with a cubic term, by the kick-drift-kick leapfrog scheme. */

static double spring(double alpha, double d) { return d + alpha * d * d * d; }

static void kick(int n, double h, double alpha, const double *x, double *v)
{
    for (int i = 0; i < n; i++) {
        double left = i > 0 ? x[i - 1] : 0, right = i < n - 1 ? x[i + 1] : 0;
        v[i] += h * (spring(alpha, right - x[i]) - spring(alpha, x[i] - left));
    }
}

void leapfrog(int n, int steps, double h, double alpha, double *x, double *v)
{
    for (int t = 0; t < steps; t++) {
        kick(n, 0.5 * h, alpha, x, v);
        for (int i = 0; i < n; i++)
            x[i] += h * v[i];
        kick(n, 0.5 * h, alpha, x, v);
    }
}
