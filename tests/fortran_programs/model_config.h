#define NSPEC 3
#define SQ(x) ((x)*(x))
