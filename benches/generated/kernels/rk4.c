//: head rk4(rk4)/(x)
//: int n = 1000
//: int steps = 100
//: in double h = 0.01
//: active double x[n] = 0.5 + 0.3 * sin(1.7 * i)
/* Classical Runge-Kutta steps of the logistic equation, from n initial values. */

static double rate(double y) { return y * (1 - y); }

double rk4(int n, int steps, double h, const double *x)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        double y = x[i];
        for (int t = 0; t < steps; t++) {
            double k1 = rate(y);
            double k2 = rate(y + 0.5 * h * k1);
            double k3 = rate(y + 0.5 * h * k2);
            double k4 = rate(y + h * k3);
            y += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
        }
        sum += y * y;
    }
    return sum;
}
