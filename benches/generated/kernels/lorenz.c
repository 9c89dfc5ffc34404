//: head lorenz(lorenz)/(sigma,rho,beta,start)
//: int steps = 4000
//: in double h = 0.002
//: active double sigma = 10
//: active double rho = 28
//: active double beta = 8.0 / 3
//: active double start[3] = 1 + 0.5 * i
/* Mean of z over a path of the Lorenz system, by steps of the midpoint rule (Runge-Kutta of second order). */

static void lorenz_rate(double sigma, double rho, double beta, const double s[3], double rate[3])
{
    rate[0] = sigma * (s[1] - s[0]);
    rate[1] = s[0] * (rho - s[2]) - s[1];
    rate[2] = s[0] * s[1] - beta * s[2];
}

double lorenz(int steps, double h, double sigma, double rho, double beta, const double *start)
{
    double s[3] = {start[0], start[1], start[2]}, mid[3], k[3], sum = 0;
    for (int t = 0; t < steps; t++) {
        lorenz_rate(sigma, rho, beta, s, k);
        for (int i = 0; i < 3; i++)
            mid[i] = s[i] + 0.5 * h * k[i];
        lorenz_rate(sigma, rho, beta, mid, k);
        for (int i = 0; i < 3; i++)
            s[i] += h * k[i];
        sum += s[2];
    }
    return sum / steps;
}
