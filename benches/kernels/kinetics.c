/* inputs 6, outputs 6: a step of reactions between five species whose rates depend on the temperature */
double temperature = 1.0 + x[5];
double k0 = 1.5 * exp(-1.2 / temperature);
double k1 = 0.7 * exp(-0.8 / temperature);
double k2 = 2.1 * exp(-2.0 / temperature);
double k3 = 0.4 * exp(-0.5 / temperature);
double r0 = k0 * x[0] * x[1];
double r1 = k1 * x[2];
double r2 = k2 * x[2] * x[3];
double r3 = k3 * x[4] * x[4];
y[0] = x[0] + 0.001 * (r1 - r0);
y[1] = x[1] + 0.001 * (r1 - r0 + r3);
y[2] = x[2] + 0.001 * (r0 - r1 - r2);
y[3] = x[3] - 0.001 * (r2 - 0.3 * r3);
y[4] = x[4] + 0.001 * (r2 - 2.0 * r3);
y[5] = x[5] + 0.001 * (0.9 * r0 - 0.4 * r1 + 1.3 * r2 - 0.2 * r3);
