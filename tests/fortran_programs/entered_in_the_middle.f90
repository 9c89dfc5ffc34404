! Loops of GOTO statements that something before them enters elsewhere than at their start.
! head: bottom(y)/(x)
! use: entered_in_the_middle
! args: n=3, x(3), y
! head: from_branch(y)/(x)
! use: entered_in_the_middle
! args: x, y
! head: twice(y)/(x)
! use: entered_in_the_middle
! args: x, y
! head: far_in(y)/(x)
! use: entered_in_the_middle
! args: x, y
! head: in_a_loop(y)/(x)
! use: entered_in_the_middle
! args: x(4), y
! head: out_of_nest(y)/(x)
! use: entered_in_the_middle
! args: x, y
! head: assigned_order(y)/(x)
! use: entered_in_the_middle
! args: x, y
! head: chosen(y)/(x)
! use: entered_in_the_middle
! args: k=2, x, y
module entered_in_the_middle
  implicit none
contains
  ! The while loop of Fortran 77 with its test at the bottom.
  subroutine bottom(n, x, y)
    integer, intent(in) :: n
    double precision, intent(in) :: x(n)
    double precision, intent(out) :: y
    integer :: i
    i = 1
    y = 0
    goto 20
10  y = y + x(i)**2*(1 + y)
    i = i + 1
20  if (i <= n) goto 10
  end subroutine
  subroutine from_branch(x, y)
    double precision, intent(in) :: x
    double precision, intent(out) :: y
    integer :: i
    i = 0
    y = 1
    if (x > 0) then
      if (x > 0.1d0) goto 20
      y = 2
    end if
10  y = y*x
    i = i + 1
20  y = y + sin(x)*y
    if (i < 4) goto 10
  end subroutine
  subroutine twice(x, y)
    double precision, intent(in) :: x
    double precision, intent(out) :: y
    integer :: i, j
    y = x
    i = 0
    goto 40
10  j = 0
    goto 30
20  y = y*cos(x) + 0.1d0
    j = j + 1
30  if (j < i) goto 20
    y = y + x*y
    i = i + 1
40  if (i < 4) goto 10
  end subroutine
  subroutine far_in(x, y)
    double precision, intent(in) :: x
    double precision, intent(out) :: y
    integer :: i, j
    y = x
    i = 0
    j = 0
    if (x > -1) goto 30
10  j = 0
20  y = sin(y) + x*y
    j = j + 1
30  y = 0.9d0*y
    if (j < 2) goto 20
    i = i + 1
    if (i < 3) goto 10
  end subroutine
  subroutine in_a_loop(x, y)
    double precision, intent(in) :: x(4)
    double precision, intent(out) :: y
    integer :: i, k
    y = 1
    do 50 i = 1, 4
      k = 0
      goto 20
10    y = y*x(i)*0.6d0 + 0.2d0
      k = k + 1
20    if (k > 3) goto 50
      if (k < i) goto 10
      y = y + x(i)
50  continue
  end subroutine
  subroutine out_of_nest(x, y)
    double precision, intent(in) :: x
    double precision, intent(out) :: y
    integer :: i, j, n
    y = 1
    n = 0
    do i = 1, 3
      do j = 1, 3
        y = y + 0.3d0*x*y
        if (y > 1.2d0) goto 20
      end do
    end do
10  y = y*(0.8d0 + 0.1d0*x)
20  y = y + sin(x)
    n = n + 1
    if (n < 4) goto 10
  end subroutine
  ! Blocks in any order.
  subroutine assigned_order(x, y)
    double precision, intent(in) :: x
    double precision, intent(out) :: y
    integer :: k, n
    y = x
    k = 0
    n = 0
    goto 30
10  y = sin(y) + x
    if (n > 9) goto 50
    goto 40
20  y = y*0.5d0*x
    k = 2
    goto 10
30  y = y + x*x
    if (y > 2) goto 20
    goto 10
40  n = n + 1
    y = 0.9d0*y
    if (k > 1) then
      k = 0
      goto 30
    end if
    k = k + 1
    goto 20
50  continue
  end subroutine
  ! A computed GOTO into a loop of jumps.
  subroutine chosen(k, x, y)
    integer, intent(in) :: k
    double precision, intent(in) :: x
    double precision, intent(out) :: y
    integer :: n
    y = x
    n = 0
    goto (10, 20, 30), k
    goto 40
10  y = y*0.5d0 + x*x
20  y = sin(y)*x
30  y = y + x*y
    n = n + 1
    if (n < 3) goto 10
40  continue
  end subroutine
end module
