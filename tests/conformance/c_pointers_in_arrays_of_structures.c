// pointers in arrays of structures
// f/(net)
struct layer { int n; double *w; };
struct net { int count; struct layer *layers; };
double f(const struct net *net) {
  double s = 0.0;
  for (int k = 0; k < net->count; k++)
    for (int i = 0; i < net->layers[k].n; i++)
      s += net->layers[k].w[i] * net->layers[k].w[i];
  return s;
}
