#include <stdio.h>
#include <stdlib.h>
#include <stdbool.h>
double early(double,int), by_kind(int,double), in_loop(int,const double*), use_matrix(int), down(size_t,const double*), ternary(double,double,int), work(int), spaghetti(double,int);
int count(double), fact(int); float single(float,float); long double wide(long double); bool odd(unsigned);
int main(void){ double v[7]={.3,-.2,1.5,2.5,.1,.9,-3};
 for(int n=0;n<8;n++){ printf("%.17g %.17g %.17g\n",early(n*7-9,n),early(200-n,n),early(n,9)); printf("%.17g %.17g\n",by_kind(n,1.5),in_loop(n<7?n:7,v)); printf("%.17g %.17g\n",use_matrix(n+1),down(n<7?n:7,v)); printf("%d %d %d\n",count(n*30),fact(n),odd(n*5)); printf("%.9g %.20Lg\n",single(n*.3f,.5f),wide(n)); printf("%.17g %.17g %.17g %.17g\n",ternary(n-3,.5,n),ternary(1,2,n),work(n),spaghetti(n,n)); }
}
