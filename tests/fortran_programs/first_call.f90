! What the first call sets, by a flag that says so: of a module, and kept by a procedure; in a loop, so that old values come back.
! head: top(f)/(x)
! use: settings
! args: x(3), f
module settings
  implicit none
  real(8), private :: coef, table(3)
  logical, private :: first = .true.
  integer, private :: calls = 0
contains
  subroutine top(x, f)
    real(8), intent(in) :: x(3)
    real(8), intent(out) :: f
    integer :: i
    f = 0
    do i = 1, 3
      if (first) then
        coef = 2
        table = [1.0d0, 0.5d0, 0.25d0]
        first = .false.
      end if
      calls = calls + 1
      f = f + coef*x(i)**2*table(i) + scaled(x(i))
    end do
  end subroutine top

  real(8) function scaled(y)
    real(8), intent(in) :: y
    real(8), save :: factor
    logical, save :: ready = .false.
    integer :: k
    scaled = y
    do k = 1, 2
      if (.not. ready) then
        factor = 0.75d0
        ready = .true.
      end if
      scaled = scaled*factor*y
    end do
  end function scaled
end module settings
