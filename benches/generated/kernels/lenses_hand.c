#include <math.h>
#include <stdlib.h>

/* A ray at a time; a surface keeps the incoming direction and the point of incidence, and its roots. The derivative by the way along the ray
   comes from the surface condition, so that b and c are not gone through again. */
void lenses_hand(int rays, int surfaces, const double *restrict radius, double *restrict radiusb, const double *restrict gap,
                 double *restrict gapb, const double *restrict glass, double *restrict glassb, double seed)
{
    double *restrict keep = malloc((8 * (size_t)surfaces + 2 * surfaces) * sizeof *keep), *restrict curve = keep + 8 * surfaces,
                    *restrict ratio = curve + surfaces;
    for (int s = 0; s < surfaces; s++) {
        curve[s] = 1 / radius[s];
        ratio[s] = (s > 0 ? glass[s - 1] : 1) / glass[s];
    }
    double scale = 2 * seed / rays;
    for (int k = 0; k < rays; k++) {
        double y = 0.1 + 6.0 * k / rays, z = -1, dy = 0, dz = 1;
        for (int s = 0; s < surfaces; s++) {
            double *p = keep + 8 * s, R = radius[s], cz = z - R, b = y * dy + cz * dz, c = y * y + z * (z - 2 * R), root = sqrt(b * b - c);
            double way = R > 0 ? -b - root : root - b;
            y += way * dy;
            z += way * dz;
            double ny = -y * curve[s], nz = 1 - z * curve[s], m = ratio[s], cosine = ny * dy + nz * dz;
            double out = sqrt(1 - m * m * (1 - cosine * cosine)), bend = out - m * cosine;
            p[0] = dy; p[1] = dz; p[2] = ny; p[3] = nz; p[4] = cosine; p[5] = out; p[6] = way;
            dy = m * dy + bend * ny;
            dz = m * dz + bend * nz;
            z -= gap[s];
        }
        double inverse = 1 / dz, slope = dy * inverse, e = scale * (y - z * slope);
        double yb = e, zb = -e * slope, dyb = -e * z * inverse, dzb = -dyb * slope;
        for (int s = surfaces; s-- > 0;) {
            const double *p = keep + 8 * s;
            double a = p[0], b = p[1], ny = p[2], nz = p[3], cosine = p[4], out = p[5], way = p[6], m = ratio[s];
            double bend = out - m * cosine, C = curve[s];
            gapb[s] -= zb;
            double bendb = dyb * ny + dzb * nz, half = bendb / out;
            double mb = dyb * a + dzb * b - half * m * (1 - cosine * cosine) - bendb * cosine;
            double cosineb = half * m * m * cosine - bendb * m;
            double nyb = bend * dyb + cosineb * a, nzb = bend * dzb + cosineb * b;
            double ab = m * dyb + cosineb * ny, bb = m * dzb + cosineb * nz;
            /* n = (-y, R - z) / R; on the sphere. */
            yb -= nyb * C;
            zb -= nzb * C;
            double Rb = (nzb - (nyb * ny + nzb * nz)) * C;
            /* The way ends on the sphere: n . (shift of the point) + (1 - n_z) dR = 0 with the inward normal n. */
            double wayb = (yb * a + zb * b) / cosine;
            ab += way * yb;
            bb += way * zb;
            yb -= wayb * ny;
            zb -= wayb * nz;
            ab -= way * wayb * ny;
            bb -= way * wayb * nz;
            Rb -= wayb * (1 - nz);
            radiusb[s] += Rb;
            double inv = mb / glass[s];
            glassb[s] -= inv * m;
            if (s > 0)
                glassb[s - 1] += inv;
            dyb = ab;
            dzb = bb;
        }
    }
    free(keep);
}
