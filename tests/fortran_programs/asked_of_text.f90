! What only the text can ask for: texts in structures, whether pointers have targets, texts that functions put together.
! head: weighted(y)/(x)
! use: asked_of_text
! args: n=3, x(3), y
! head: represented(y)/(x)
! use: asked_of_text
! args: x(4), y(4)
module asked_of_text
  implicit none
  type process
    character(len=8) :: name = "mix"
    real(8), pointer :: rate => null()
  end type
  type(process), pointer :: first => null()
  interface size
    module procedure count_of
  end interface
contains
  function count_of(p) result(k)
    type(process), intent(in) :: p
    integer :: k
    k = len_trim(p%name)
  end function
  function digit(k) result(s)
    integer, intent(in) :: k
    character(len=1) :: s
    s = achar(iachar('0') + mod(k, 10))
  end function
  subroutine give_up(why)
    character(len=*), intent(in) :: why
    print '(a)', why
    stop 1
  end subroutine
  subroutine weighted(n, x, y)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8), intent(out) :: y
    type(process) :: p
    integer :: k
    y = 0
    if (.not. associated(first)) y = x(1)**3
    do k = 1, n
      if (p%name == "mix") then
        y = y + x(k)**2*size(x)
      else
        y = y + x(k)
      end if
    end do
    if (n > 100) call give_up("n = "//digit(n)//" is too large")
  end subroutine
  subroutine represented(x, y)
    real(8), intent(in) :: x(4)
    real(8), intent(out) :: y(4)
    y(1) = fraction(3*x(1))*digits(x) + precision(x)*x(2)
    y(2) = set_exponent(x(2), 3)*radix(x) + range(1)*x(3)
    y(3) = log(rrspacing(x(3))) + maxexponent(1.0)*x(1)
    y(4) = sin(fraction(x(4))) + minexponent(x)*x(4)**2
  end subroutine
end module
