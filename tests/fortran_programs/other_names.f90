! Pointers that are other names for variables, sections and elements, and pointers that own their memory.
! head: columns(y,x)/(x)
! args: n=4, m=3, x(5,3)~, y
subroutine columns(n, m, x, y)
  implicit none
  integer, intent(in) :: n, m
  double precision, target, intent(inout) :: x(0:n, m)
  double precision, intent(out) :: y
  double precision, pointer :: c(:), q(:, :), e, w(:), v(:)
  double precision, target :: t(n)
  integer :: k, i, j
  y = 0d0
  j = 1
  do k = 1, m
    c => x(:, k)
    j = k
    v => x(0:n, j)
    j = j + 1
    do i = 2, size(c) - 1
      c(i) = c(i) + 0.5d0*c(i - 1)*c(i + 1)
    end do
    c(2:n) = c(2:n)*sin(c(1:n - 1)) + v(1)
    w => c(3:1:-1)
    y = y + w(1)*w(3) + sum(w(2:3))
    if (associated(c)) then
      e => c(2)
      e = e*e
      e => c(1)
      y = y + e
    end if
  end do
  q => x(1:n:2, :)
  y = y + sum(q) + q(1, 2)*q(2, 1)
  t = x(1:n, 1)
  w => t
  w(1) = y
  call scaled(n, w)
  y = y + t(1)*t(2)
end subroutine
subroutine scaled(n, a)
  implicit none
  integer, intent(in) :: n
  double precision, intent(inout) :: a(n)
  a = a*a(1)
end subroutine
! head: by_branch(y)/(x)
! args: x(4), y
subroutine by_branch(x, y)
  implicit none
  double precision, target, intent(in) :: x(4)
  double precision, intent(out) :: y
  double precision, pointer :: p(:)
  if (x(1) > 0.5d0) then
    p => x(3:4)
    y = p(1)
  else
    p => x(1:2)
    y = p(1)*p(2)
  end if
  select case (int(x(2)*10))
  case (:3)
    p => x(2:3)
    y = y*p(1)
  case default
    p => x(2:4)
    y = y*p(3)
  end select
  p => x
  y = y*p(4)
end subroutine
! head: owned(y)/(x)
! args: n=4, x(4), y
subroutine owned(n, x, y)
  implicit none
  integer, intent(in) :: n
  double precision, intent(in) :: x(n)
  double precision, intent(out) :: y
  double precision, pointer :: w(:), z(:, :)
  integer :: i
  allocate (w(n))
  do i = 1, n
    w(i) = x(i)**2
    allocate (z(2, i))
    z = w(i)
    z(1, i) = z(2, 1)*x(1)
    w(i) = sum(z)
    deallocate (z)
  end do
  y = sum(w*w)
  if (associated(w)) deallocate (w)
end subroutine
