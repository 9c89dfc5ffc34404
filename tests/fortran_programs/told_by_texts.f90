! Parts of texts that decide, texts that say what happened, FORALL under an array of truth values.
! head: by_surface(y)/(x)
! args: x=0.8, y
! head: chosen_elements(y)/(x)
! args: n=4, x(4), y(4)~
module told_by_texts
  implicit none
contains
  subroutine law_of_surface(surface, x, y, info)
    character(len=*), intent(in) :: surface
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    character(len=:), allocatable, intent(out), optional :: info
    if (surface(1:3) == 'ice') then
      if (present(info)) info = 'frozen'
      y = x*x*x
    else if (trim(surface)//'s' == 'oceans') then
      if (present(info)) info = 'open water'
      y = sin(x)
    else
      y = 2.0d0*x
    end if
  end subroutine law_of_surface
end module told_by_texts

subroutine by_surface(x, y)
  use told_by_texts, only: law_of_surface
  implicit none
  real(8), intent(in) :: x
  real(8), intent(out) :: y
  real(8) :: a, b
  call law_of_surface('icecap', x, a)
  call law_of_surface('ocean  ', a, b)
  call law_of_surface('land', a*b, y)
end subroutine by_surface

subroutine chosen_elements(n, x, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(inout) :: y(n)
  logical :: large(n)
  integer :: i
  large = x > 0.5d0
  y = y*x
  forall (i=1:n, large(i)) y(i) = x(i)*x(n + 1 - i)
end subroutine chosen_elements
