/* inputs 4, outputs 4: a step of a double pendulum by the classical Runge-Kutta method with two stages */
double d1 = x[0] - x[1];
double n1 = 3.0 - cos(2.0 * d1);
double a1 = (-3.0 * 9.81 * sin(x[0]) - 9.81 * sin(x[0] - 2.0 * x[1]) - 2.0 * sin(d1) * (x[3] * x[3] + x[2] * x[2] * cos(d1))) / n1;
double b1 = 2.0 * sin(d1) * (2.0 * x[2] * x[2] + 2.0 * 9.81 * cos(x[0]) + x[3] * x[3] * cos(d1)) / n1;
double p = x[0] + 0.0005 * x[2];
double q = x[1] + 0.0005 * x[3];
double v = x[2] + 0.0005 * a1;
double w = x[3] + 0.0005 * b1;
double d2 = p - q;
double n2 = 3.0 - cos(2.0 * d2);
double a2 = (-3.0 * 9.81 * sin(p) - 9.81 * sin(p - 2.0 * q) - 2.0 * sin(d2) * (w * w + v * v * cos(d2))) / n2;
double b2 = 2.0 * sin(d2) * (2.0 * v * v + 2.0 * 9.81 * cos(p) + w * w * cos(d2)) / n2;
y[0] = x[0] + 0.001 * v;
y[1] = x[1] + 0.001 * w;
y[2] = x[2] + 0.001 * a2;
y[3] = x[3] + 0.001 * b2;
