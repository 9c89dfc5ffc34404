//: head newton(x,y)/(mean,eccentricity)
//: int n = 300
//: active double mean[n] = 0.02 * i + 0.1
//: active double eccentricity[n] = 0.4 + 0.3 * sin(0.1 * i)
//: out double x[n]
//: out double y[n]
/* Positions on orbits: Kepler's equation for the eccentric anomaly by six Newton steps, then coordinates. */
#include <math.h>

static double eccentric_anomaly(double mean, double e)
{
    double anomaly = mean + e * sin(mean);
    for (int k = 0; k < 6; k++) {
        double residual = anomaly - e * sin(anomaly) - mean;
        anomaly -= residual / (1 - e * cos(anomaly));
    }
    return anomaly;
}

void newton(int n, const double *mean, const double *eccentricity, double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        double e = eccentricity[i], anomaly = eccentric_anomaly(mean[i], e);
        x[i] = cos(anomaly) - e;
        y[i] = sqrt(1 - e * e) * sin(anomaly);
    }
}
