/* Gradient of the final energy, by tangent and adjoint, against complex step.
   Head: energy/(angle,length,damping) */
#include <complex.h>
#include <math.h>
#include <stdio.h>

double energy_d(double angle, double angled, double length, double lengthd, double damping, double dampingd, double dt, int steps,
                double *value);
void energy_b(double angle, double *angleb, double length, double *lengthb, double damping, double *dampingb, double dt, int steps,
              double energyb);

static double complex energy_complex(double complex angle, double complex length, double complex damping, double dt, int steps) {
  double complex speed = 0;
  for (int i = 0; i < steps; i++) {
    double complex half_angle = angle + 0.5 * dt * speed;
    double complex half_speed = speed + 0.5 * dt * (-9.81 / length * csin(angle) - damping * speed);
    angle += dt * half_speed;
    speed += dt * (-9.81 / length * csin(half_angle) - damping * half_speed);
  }
  return 0.5 * length * length * speed * speed + 9.81 * length * (1 - ccos(angle));
}

int main(void) {
  const double p[3] = {1.1, 0.8, 0.2}, dt = 0.01, h = 1e-50;
  const int steps = 300;
  double b[3] = {0, 0, 0}, value;
  int failed = 0;
  energy_b(p[0], &b[0], p[1], &b[1], p[2], &b[2], dt, steps, 1.0);
  for (int k = 0; k < 3; k++) {
    double complex z[3];
    for (int i = 0; i < 3; i++)
      z[i] = p[i] + (i == k ? h * I : 0);
    const double exact = cimag(energy_complex(z[0], z[1], z[2], dt, steps)) / h;
    const double tangent = energy_d(p[0], k == 0, p[1], k == 1, p[2], k == 2, dt, steps, &value);
    printf("adjoint %.13f  tangent %.13f  complex step %.13f\n", b[k], tangent, exact);
    failed |= !(fabs(b[k] - exact) <= 1e-11 * (1 + fabs(exact)) && fabs(tangent - exact) <= 1e-11 * (1 + fabs(exact)));
  }
  return failed;
}
