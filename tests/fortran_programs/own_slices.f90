! Work arrays that are set again in all, in part, and between bounds that have changed; old values are read without being linear.
! head: own_slices(y)/(x,y)
! args: n=5, m=3, x(5), y
subroutine own_slices(n, m, x, y)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(inout) :: y
  real(8) :: w(n), z(0:n), a(n, m), line(4)
  integer :: i, j, k, l
  do i = 1, n
    w(i) = x(i)**2 + y
  end do
  y = y + sum(w**2)
  y = sin(y)
  ! all of it, from the end
  do i = n, 1, -1
    w(i) = x(i)*y*0.1d0
  end do
  y = y + 0.1d0*sum(w**3)
  y = sin(y)
  ! bounds with an offset
  do i = 1, n + 1
    z(i - 1) = sin(y + i)
  end do
  do k = 1, m
    do i = 0, n
      y = y + 0.05d0*z(i)*z(i)
      y = sin(y)
    end do
    do i = 0, n
      z(i) = y*x(max(i, 1))
    end do
    ! as many, but others
    do i = 1, n
      z(i) = z(i)*y*0.5d0
    end do
    y = y + 0.1d0*z(0)*z(n)
    y = sin(y)
    do i = 1, n
      z(i - 1) = cos(y)*x(i)
    end do
    y = y + 0.1d0*z(n)*z(1)
    y = sin(y)
  end do
  ! a bound that changes
  l = n
  do k = 1, m
    do i = 1, l
      w(i) = w(i) + x(i)*y
    end do
    do i = 1, l
      w(i) = x(i)*y
    end do
    y = y + 0.01d0*sum(w**2)
    y = sin(y)
    l = l - 1
  end do
  ! whole arrays and sections
  do k = 1, m
    w = x*y*0.2d0
    y = y + 0.1d0*sum(sin(w))
    y = sin(y)
    w(2:) = w(:n - 1)*y
    w(:) = w**2 + 0.1d0*x
    y = y + 0.1d0*sum(w**2)
    y = sin(y)
    w(1:n - 1) = y*x(2:n)
    y = y + 0.1d0*sum(w**2)
    y = sin(y)
  end do
  ! columns
  a = 0.5d0
  do k = 1, 2
    do j = 1, m
      y = y + 0.02d0*sum(a(:, j)**2)
      y = sin(y)
      do i = 1, n
        a(i, j) = x(i)*y
      end do
      y = y + 0.01d0*a(1, j)*a(n, j)
      y = sin(y)
      a(:, j) = a(:, j)*a(:, j)
    end do
    do i = 1, n
      do j = m, 1, -1
        y = y + 0.01d0*a(i, j)**2
        y = sin(y)
        a(i, j) = x(i)*y*0.1d0
      end do
    end do
    do j = 1, m - 1
      do i = 1, n
        a(i, j) = a(i, j)*y + 0.1d0*x(i)
      end do
    end do
    y = y + 0.01d0*sum(a**2)
    y = sin(y)
  end do
  ! neighbours belong to other iterations
  line = 0.3d0
  do k = 1, 3
    do i = 2, 4
      line(i) = line(i)*line(i - 1) + x(i)
    end do
    do i = 1, 4
      line(i) = sin(line(i))*y
    end do
    y = y + 0.05d0*sum(line**2)
    y = sin(y)
  end do
end subroutine own_slices
