! COMMON of which the unit uses a part.
! head: f(y)/(q)
! decl: common /blk/ q, r, iq
! decl: common /blk_d/ qd, rd
! decl: common /blk_b/ qb, rb
! decl: real(8) :: q(3), qd(3), qb(3), r, rd, rb
! decl: integer :: iq
! global: q(3)
! args: y
subroutine f(y)
  implicit none
  real(8), intent(out) :: y
  real(8) :: q(3), r
  integer :: iq
  common /blk/ q, r, iq
  y = q(1)*q(2) + sin(q(3))
end subroutine f
