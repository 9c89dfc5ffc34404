! head: chain(s)/(x)
! args: n=6, x(6), s
! head: orbit(s)/(y,h)
! args: n=5, m=3, y(3), h, s
! head: swept(s)/(x,y)
! args: n=5, m=3, x(5), y(3), s
! head: down(s)/(x)
! args: n=6, x(6), s
! head: ahead(s)/(x)
! args: n=6, x(6), s
! head: strides(s)/(x)
! args: n=9, x(9), s
! head: used_before(s)/(x)
! args: n=6, x(6), s
! head: again(s)/(x)
! args: n=5, m=3, x(5), s
! head: order(s)/(x)
! args: n=5, x(5), s
! head: choice(s)/(x)
! args: n=6, x(6), s
! Arrays of which a loop sets one element after the other, and reads others: what is set before anybody reads it overwrites nothing that is needed.
subroutine chain(n, x, s)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: s
  real(8) :: u(0:n), v(n)
  integer :: i
  u(0) = 1
  do i = 1, n
    v(i) = u(i - 1)*x(i)
    u(i) = v(i)*u(i - 1) + 1
  end do
  s = 0
  do i = 1, n
    s = s + u(i)*u(i - 1)
  end do
end subroutine

! All steps are kept by the program itself.
subroutine orbit(n, m, y, h, s)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: y(m), h
  real(8), intent(out) :: s
  real(8) :: w(m, 0:n)
  integer :: t, j
  do j = 1, m
    w(j, 0) = y(j)
  end do
  do t = 0, n - 1
    w(1, t + 1) = w(1, t) + h*w(1, t)*w(m, t)
    do j = 2, m
      w(j, t + 1) = w(j, t) + h*w(j, t)*sin(w(j - 1, t))
    end do
  end do
  s = w(1, n)*w(m, n)
end subroutine

! The new step is read as well, where it is there already.
subroutine swept(n, m, x, y, s)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n), y(m)
  real(8), intent(out) :: s
  real(8) :: w(0:m, 0:n)
  integer :: t, j
  w(:, 0) = 1
  do j = 1, m
    w(j, 0) = y(j)
  end do
  do t = 1, n
    w(0, t) = x(t)
    do j = 1, m
      w(j, t) = w(j - 1, t)*w(j, t - 1) + cos(w(j - 1, t - 1))
    end do
  end do
  s = w(m, n)**2
end subroutine

subroutine down(n, x, s)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: s
  real(8) :: u(n + 1)
  integer :: i
  u(n + 1) = x(1)
  do i = n, 1, -1
    u(i) = u(i + 1)*u(i + 1)*x(i)
  end do
  s = u(1) + u(2)*u(n)
end subroutine

! Each round overwrites what the one before it has read.
subroutine ahead(n, x, s)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: s
  real(8) :: a(n), b(n)
  integer :: i
  do i = 1, n
    a(i) = x(i)
    b(i) = x(i)**2
  end do
  do i = 1, n - 1
    a(i + 1) = a(i)*a(i + 1)
    b(i) = b(i + 1)*b(i)
  end do
  do i = n - 1, 1, -1
    a(i + 1) = a(i)*sin(a(i + 1))
  end do
  s = 0
  do i = 1, n
    s = s + a(i)*b(1) + b(i)*b(i)
  end do
end subroutine

subroutine strides(n, x, s)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: s
  real(8) :: c(n), e(n)
  integer :: i
  do i = 1, n
    c(i) = x(i)
    e(i) = 1 + x(i)
  end do
  do i = 3, n, 2
    c(i) = c(i - 1)*c(i - 2)
    e(i) = e(i - 1)*e(i - 2)*x(i)
    e(i - 1) = e(i)*e(i - 2)
  end do
  do i = n - 2, 1, -2
    c(i) = c(i + 2)*c(i + 1)*x(i)
  end do
  s = c(1) + c(n - 1)*c(n) + e(n - 1)*e(n)
end subroutine

! The loop overwrites what code before it needs.
subroutine used_before(n, x, s)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: s
  real(8) :: u(n)
  integer :: i
  s = 0
  do i = 1, n
    u(i) = x(i)*x(i)
  end do
  do i = 1, n
    s = s + u(i)*u(i)
  end do
  do i = 2, n
    u(i) = u(i - 1)*u(i - 1)
  end do
  s = s*u(n)
end subroutine

! The history begins anew in each round.
subroutine again(n, m, x, s)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: s
  real(8) :: v(0:n)
  integer :: i, k
  s = 0
  v = 1
  do k = 1, m
    v(0) = v(n)*x(1) + 0.5d0
    do i = 1, n
      v(i) = v(i - 1)*v(i - 1)*x(i)
    end do
    s = s + v(n)*v(n - 1)
  end do
end subroutine

! In one round the text decides.
subroutine order(n, x, s)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: s
  real(8) :: p(n), q(n), r
  integer :: i
  s = 0
  p = 2
  q = 3
  do i = 1, n
    p(i) = x(i)*x(i)
    r = p(i)*x(i)
    s = s + r*r
    r = q(i)*x(i)
    s = s + r*r*p(i)
    q(i) = x(i)*r
    p(i) = p(i)*q(i)
  end do
  s = s + sum(p*q)
end subroutine

subroutine choice(n, x, s)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: s
  real(8) :: u(n), w(n)
  integer :: i, k
  u(1) = x(1)
  w(1) = x(1)
  do i = 2, n
    if (x(i) > 0.5d0) then
      u(i) = u(i - 1)*u(i - 1)
    else
      u(i) = u(i - 1)*x(i)
      if (u(i) > 0.1d0) u(i) = u(i)*u(i - 1)
    end if
    k = 0
    w(i) = w(i - 1)
    do while (k < 3 .and. w(i) < 4)
      w(i) = w(i)*w(i) + w(i - 1)*u(i)
      k = k + 1
    end do
  end do
  s = u(n)*u(n - 1) + w(n)
end subroutine
