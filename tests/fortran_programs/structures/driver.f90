! Tangent and adjoint of a procedure with structures as arguments, against central differences and the dot-product identity.
program driver
  use spring_mod
  implicit none
  type(state) :: st, std, stb, sp, sm, w
  type(spring) :: s, sd, sb
  real(dp) :: h, hd, hb, d1, d2, eps, fd
  integer :: i
  h = 0.1_dp; hd = 0.3_dp; hb = 0
  s%i = 1; s%j = 3; s%k = 1.7_dp; s%rest = 0.4_dp
  sd%k = 0.7_dp; sd%rest = -0.2_dp; sb%k = 0; sb%rest = 0
  call fresh(st, 1d0); call fresh(std, 2d0); call fresh(w, 3d0)
  stb = w
  eps = 1d-6
  sp = st; sp%x = st%x + eps*std%x; sp%v = st%v + eps*std%v; sp%t = st%t + eps*std%t
  sm = st; sm%x = st%x - eps*std%x; sm%v = st%v - eps*std%v; sm%t = st%t - eps*std%t
  block
    type(spring) :: s1
    s1 = s; s1%k = s%k + eps*sd%k; s1%rest = s%rest + eps*sd%rest
    call euler(sp, s1, h + eps*hd)
    s1%k = s%k - eps*sd%k; s1%rest = s%rest - eps*sd%rest
    call euler(sm, s1, h - eps*hd)
  end block
  sp%x = (sp%x - sm%x)/(2*eps); sp%v = (sp%v - sm%v)/(2*eps); sp%t = (sp%t - sm%t)/(2*eps)
  block
    type(state) :: a, ad
    a = st; ad = std
    call euler_d(a, ad, s, sd, h, hd)
    if (maxval(abs(ad%x - sp%x)) + maxval(abs(ad%v - sp%v)) + abs(ad%t - sp%t) > 1d-8) stop 1
    d1 = sum(ad%x*w%x) + sum(ad%v*w%v) + ad%t*w%t
    a = st
    call euler_b(a, stb, s, sb, h, hb)
    d2 = sum(stb%x*std%x) + sum(stb%v*std%v) + stb%t*std%t + sb%k*sd%k + sb%rest*sd%rest + hb*hd
    if (.not. abs(d1 - d2) <= 1d-13*abs(d1)) stop 2
    print '(a)', 'ok'
  end block
contains
  subroutine fresh(q, f)
    type(state), intent(out) :: q
    real(dp), intent(in) :: f
    allocate(q%x(3), q%v(3))
    q%x = [(sin(f*i), i=1,3)]
    q%v = [(cos(f*i), i=1,3)]
    q%t = f
  end subroutine
end program
