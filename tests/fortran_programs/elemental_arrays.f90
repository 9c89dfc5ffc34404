! Elemental procedures on whole arrays and sections, generics, in WHERE.
! head: column(q,t)/(t,p)
! use: saturation
! args: n=6, t(6), p(6), q(6)
! head: mixed(s)/(u,v)
! use: saturation
! args: n=5, u(5,3), v(5), s
module saturation
  implicit none
  integer, parameter :: wp = kind(1.0d0)
  interface es
    module procedure es_liquid, es_table
  end interface es
contains
  elemental function es_liquid(t) result(e)
    real(wp), intent(in) :: t
    real(wp) :: e
    e = 0.6112_wp*exp(17.67_wp*t/(t + 243.5_wp))
  end function es_liquid

  elemental function es_table(t, scale) result(e)
    real(wp), intent(in) :: t, scale
    real(wp) :: e
    e = scale*t**2
  end function es_table

  elemental subroutine relax(t, rate, target)
    real(wp), intent(inout) :: t
    real(wp), intent(in) :: rate, target
    if (t > target) then
      t = t - rate*(t - target)
    else
      t = t + rate*(target - t)**2
    end if
  end subroutine relax

  subroutine column(n, t, p, q)
    integer, intent(in) :: n
    real(wp), intent(inout) :: t(n)
    real(wp), intent(in) :: p(n)
    real(wp), intent(out) :: q(n)
    q = es(t)
    q(2:n) = q(2:n) + es(t(1:n-1), scale=p(2:n))
    where (q > 1.0_wp)
      q = es(q*0.5_wp) + p
    elsewhere
      q = q*p
    end where
    call relax(t, 0.1_wp, q)
    call relax(t(n:1:-1), p*0.3_wp, 0.5_wp)
    q = 2*es_liquid(t + q) + es_table(sin(p), 1.5_wp)
  end subroutine column

  subroutine mixed(n, u, v, s)
    integer, intent(in) :: n
    real(wp), intent(in) :: u(n, 3), v(n)
    real(wp), intent(out) :: s
    s = sum(es_liquid(u)) + maxval(es(v, 2.0_wp)) + dot_product(es(u(:, 2)), v)
  end subroutine mixed
end module saturation
