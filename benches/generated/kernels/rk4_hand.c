/* A step maps y to phi(y): the product of the phi' is all that goes back, and can be taken on the way forward. */

void rk4_hand(int n, int steps, double h, const double *restrict x, double *restrict xb, double seed)
{
    for (int i = 0; i < n; i++) {
        double y = x[i], slope = 1;
        for (int t = 0; t < steps; t++) {
            double y2, y3, y4, k1, k2, k3, k4, d1, d2, d3, d4;
            k1 = y * (1 - y);
            d1 = 1 - 2 * y;
            y2 = y + 0.5 * h * k1;
            k2 = y2 * (1 - y2);
            d2 = (1 - 2 * y2) * (1 + 0.5 * h * d1);
            y3 = y + 0.5 * h * k2;
            k3 = y3 * (1 - y3);
            d3 = (1 - 2 * y3) * (1 + 0.5 * h * d2);
            y4 = y + h * k3;
            k4 = y4 * (1 - y4);
            d4 = (1 - 2 * y4) * (1 + h * d3);
            y += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
            slope *= 1 + h / 6 * (d1 + 2 * d2 + 2 * d3 + d4);
        }
        xb[i] += seed * 2 * y * slope;
    }
}
