//: head arrays3d(out)/(t,v)
//: arg int n = 2
//: arg double t[24]
//: arg double v[4]
//: arg out double out[6]
typedef double slab[3][4];
void arrays3d(int n, double t[][3][4], const double v[4], double (*out)[3]) {
  slab local[2];
  double acc[2][3] = {{0}};
  int i, j, k;
  for (i = 0; i < n; i++)
    for (j = 0; j < 3; j++)
      for (k = 0; k < 4; k++)
        local[i][j][k] = t[i][j][k] * v[k];
  for (i = 0; i < n; i++)
    for (j = 0; j < 3; j++) {
      for (k = 0; k < 4; k++)
        acc[i][j] += local[i][j][k] * local[n - 1 - i][j][3 - k];
      out[i][j] = acc[i][j];
    }
}
