/* inputs 11, outputs 2: one cell of a recurrent network with long short-term memory */
double forget = 1.0 / (1.0 + exp(-(x[2] * x[3] + x[4])));
double in = 1.0 / (1.0 + exp(-(x[1] * x[5] + x[6])));
double out = 1.0 / (1.0 + exp(-(x[2] * x[7] + x[8])));
double change = tanh(x[1] * x[9] + x[10]);
double state = x[0] * forget + in * change;
y[0] = state;
y[1] = out * tanh(state);
