! Shared variables that are independents and overwritten, here and below: what they are in the end counts for nothing.
! head: f(y,g)/(g,h,t)
! use: state
! global: g
! global: h
! global: t(3)
! args: y
! head: low(y)/(c,q)
! decl: common /blk/ c, q
! decl: common /blk_d/ cd, qd
! decl: common /blk_b/ cb, qb
! decl: real(8) :: c, cd, cb, q(2), qd(2), qb(2)
! global: c
! global: q(2)
! args: y
module state
  implicit none
  real(8) :: g, h, t(3)
contains
  subroutine turn()
    real(8) :: first
    first = t(1)
    t(1) = t(2)*g
    t(2:3) = [t(3), first]
  end subroutine turn
  subroutine f(y)
    real(8), intent(out) :: y
    y = g*g*h
    call turn()
    g = 7*y + t(1)
    h = g*h
    y = y + t(3)*t(1)
  end subroutine f
end module state
subroutine low(y)
  implicit none
  real(8), intent(out) :: y
  real(8) :: c, q(2)
  common /blk/ c, q
  y = c*q(1)
  call lower
  y = y*c + q(2)
end subroutine low
subroutine lower
  implicit none
  real(8) :: c, p(2)
  common /blk/ c, p
  c = c*p(2)
  p = p*c
end subroutine lower
