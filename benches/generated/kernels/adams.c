//: head adams(adams)/(start,growth,eaten,death,fed)
//: int steps = 5000
//: in double h = 0.003
//: active double growth = 1.1
//: active double eaten = 0.4
//: active double death = 0.4
//: active double fed = 0.1
//: active double start[2] = 6 - 3 * i
/* Lotka-Volterra populations by the Adams-Bashforth method of third order, started with Euler steps; the time integral of squared predators. */

struct rates {
    double prey, predator;
};

static struct rates change(double growth, double eaten, double death, double fed, double prey, double predator)
{
    struct rates r = {prey * (growth - eaten * predator), predator * (fed * prey - death)};
    return r;
}

double adams(int steps, double h, double growth, double eaten, double death, double fed, const double *start)
{
    double prey = start[0], predator = start[1], integral = 0;
    struct rates old, older;
    for (int t = 0; t < steps; t++) {
        struct rates now = change(growth, eaten, death, fed, prey, predator);
        if (t < 2) {
            prey += h * now.prey;
            predator += h * now.predator;
        } else {
            prey += h / 12 * (23 * now.prey - 16 * old.prey + 5 * older.prey);
            predator += h / 12 * (23 * now.predator - 16 * old.predator + 5 * older.predator);
        }
        older = old;
        old = now;
        integral += h * predator * predator;
    }
    return integral;
}
