#include <math.h>

#define GRAVITY 9.81

/* Angular acceleration of a damped pendulum. */
static double acceleration(double angle, double speed, double length, double damping) {
  return -GRAVITY / length * sin(angle) - damping * speed;
}

/* One step of the midpoint rule; angle and speed are overwritten. */
static void step(double *angle, double *speed, double length, double damping, double dt) {
  double half_angle = *angle + 0.5 * dt * *speed;
  double half_speed = *speed + 0.5 * dt * acceleration(*angle, *speed, length, damping);
  *angle += dt * half_speed;
  *speed += dt * acceleration(half_angle, half_speed, length, damping);
}

/* Energy of the pendulum (per mass) after a number of steps from rest at an angle. */
double energy(double angle, double length, double damping, double dt, int steps) {
  double speed = 0;
  for (int i = 0; i < steps; i++)
    step(&angle, &speed, length, damping, dt);
  if (length <= 0)
    return 0;
  double height = length * (1 - cos(angle));
  return 0.5 * length * length * speed * speed + GRAVITY * height;
}
