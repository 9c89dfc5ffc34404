! State that is private to a module: what the head's derivative sets to zero is not.
! head: top(y)/(x)
! args: x, y
! head: marked(y)/(x)
! args: x, y
module private_by_default
  implicit none
  private
  public :: law
  real(8) :: memo
contains
  subroutine law(t, r)
    real(8), intent(in) :: t
    real(8), intent(out) :: r
    memo = t*t
    call inner(r)
  end subroutine law
  subroutine inner(r)
    real(8), intent(out) :: r
    r = memo*memo
  end subroutine inner
end module private_by_default

module private_by_word
  implicit none
  real(8), private :: kept
contains
  subroutine rule(t, r)
    real(8), intent(in) :: t
    real(8), intent(out) :: r
    kept = sin(t)
    call deeper(r)
  end subroutine rule
  subroutine deeper(r)
    real(8), intent(out) :: r
    r = kept*kept
  end subroutine deeper
end module private_by_word

subroutine top(x, y)
  use private_by_default
  implicit none
  real(8), intent(in) :: x
  real(8), intent(out) :: y
  call law(x, y)
end subroutine top

subroutine marked(x, y)
  use private_by_word, only: rule
  implicit none
  real(8), intent(in) :: x
  real(8), intent(out) :: y
  call rule(x, y)
end subroutine marked
