/* inputs 8, outputs 8: a step of the kinetics of high irradiance response in plants */
double f0 = -1.71 * x[0] + 0.43 * x[1] + 8.32 * x[2] + 0.0007;
double f1 = 1.71 * x[0] - 8.75 * x[1];
double f2 = -10.03 * x[2] + 0.43 * x[3] + 0.035 * x[4];
double f3 = 8.32 * x[1] + 1.71 * x[2] - 1.12 * x[3];
double f4 = -1.745 * x[4] + 0.43 * x[5] + 0.43 * x[6];
double r = 280.0 * x[5] * x[7];
double f5 = -r + 0.69 * x[3] + 1.71 * x[4] - 0.43 * x[5] + 0.69 * x[6];
double f6 = r - 1.81 * x[6];
y[0] = x[0] + 0.0001 * f0;
y[1] = x[1] + 0.0001 * f1;
y[2] = x[2] + 0.0001 * f2;
y[3] = x[3] + 0.0001 * f3;
y[4] = x[4] + 0.0001 * f4;
y[5] = x[5] + 0.0001 * f5;
y[6] = x[6] + 0.0001 * f6;
y[7] = x[7] - 0.0001 * f6;
