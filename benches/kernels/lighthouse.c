/* inputs 4, outputs 2: where the beam of a lighthouse meets the quay */
double nu = x[0];
double ga = 2.0 + x[1];
double om = x[2];
double t = x[3];
y[0] = nu * tan(om * t) / (ga - tan(om * t));
y[1] = ga * (nu * tan(om * t) / (ga - tan(om * t)));
