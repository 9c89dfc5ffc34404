//: head chemistry(conc)/(temperature,conc,factor)
//: int cells = 150
//: int steps = 20
//: in double h = 0.01
//: int entries = 32
//: in double photolysis[entries] = 0.3 + 0.2 * sin(0.2 * i)
//: active double factor[4] = 1 + 0.3 * i
//: active double temperature[cells] = 300 + 30.01 * sin(0.4 * i)
//: inout double conc[4 * cells] = 0.5 + 0.3 * cos(0.9 * i)
/* Four species in boxes: Arrhenius rates, and photolysis from a table over the temperature with linear interpolation, in Euler steps. */
#include <math.h>

static double lookup(int entries, const double *table, double temperature)
{
    double position = (temperature - 250) * (entries - 1) / 100;
    if (position <= 0)
        return table[0];
    if (position >= entries - 1)
        return table[entries - 1];
    int at = (int)position;
    double part = position - at;
    return table[at] + part * (table[at + 1] - table[at]);
}

static double arrhenius(double factor, double energy, double temperature) { return factor * exp(energy * (1 / 298.0 - 1 / temperature)); }

static void rates(const double *k, double j, const double *c, double *change)
{
    double forward = k[0] * c[0] * c[1], backward = k[1] * c[2], self = k[2] * c[1] * c[1], mixed = k[3] * c[2] * c[3], photo = j * c[3];
    change[0] = backward - forward + photo;
    change[1] = backward - forward - 2 * self + photo;
    change[2] = forward - backward - mixed;
    change[3] = self + mixed - photo;
}

void chemistry(int cells, int steps, double h, int entries, const double *photolysis, const double *factor, const double *temperature, double *conc)
{
    static const double energy[4] = {800, 1500, 400, 2100};
    for (int i = 0; i < cells; i++) {
        double k[4], change[4], *c = conc + 4 * i;
        double j = lookup(entries, photolysis, temperature[i]);
        for (int r = 0; r < 4; r++)
            k[r] = arrhenius(factor[r], energy[r], temperature[i]);
        for (int t = 0; t < steps; t++) {
            rates(k, j, c, change);
            for (int s = 0; s < 4; s++)
                c[s] += h * change[s];
        }
    }
}
