! Text that decides and is overwritten in a loop.
! head: mixed(y)/(x)
! args: n=4, x(4), y
module texts
  implicit none
contains
  subroutine next(word)
    character(len=4), intent(inout) :: word
    if (word == 'sine') then
      word = 'cube'
    else
      word = 'sine'
    end if
  end subroutine next

  subroutine part(kind, x, y)
    character(len=*), intent(in) :: kind
    real(8), intent(in) :: x
    real(8), intent(inout) :: y
    if (kind == 'sine') then
      y = y*sin(x)
    else
      y = y + x**3
    end if
    y = exp(-y*x)
  end subroutine part
end module texts

subroutine mixed(n, x, y)
  use texts
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y
  character(len=4) :: word
  integer :: i
  word = 'cube'
  y = 1
  do i = 1, n
    if (i /= 2) call next(word)
    call part(word, x(i), y)
  end do
end subroutine mixed
