! LU with a pivot vector, then the solver in a procedure of its own.
! head: linsolve(x)/(a,b)
! use: lin
! args: n=3, a(3,3)=[0.2d0,1.5d0,0.7d0,2.1d0,0.4d0,0.3d0,0.9d0,1.2d0,0.1d0], b(3), x(3)
module lin
  implicit none
  integer, parameter, public :: r8 = selected_real_kind(12)
contains
  subroutine ludcmp(n, a, ip)
    integer, intent(in) :: n
    real(r8), intent(inout) :: a(n, n)
    integer, intent(out) :: ip(n)
    real(r8) :: row(n)
    integer :: k, p, i
    do k = 1, n
      p = k
      do i = k + 1, n
        if (abs(a(i, k)) > abs(a(p, k))) p = i
      end do
      ip(k) = p
      if (p /= k) then
        row = a(k, :)
        a(k, :) = a(p, :)
        a(p, :) = row
      end if
      do i = k + 1, n
        a(i, k) = a(i, k)/a(k, k)
        a(i, k+1:) = a(i, k+1:) - a(i, k)*a(k, k+1:)
      end do
    end do
  end subroutine ludcmp
  subroutine linsolve(n, a, b, x)
    integer, intent(in) :: n
    real(r8), intent(in) :: a(n, n), b(n)
    real(r8), intent(out) :: x(n)
    real(r8) :: lu(n, n), t
    integer :: ip(n), i
    lu = a
    x = b
    call ludcmp(n, lu, ip)
    do i = 1, n
      t = x(ip(i))
      x(ip(i)) = x(i)
      x(i) = t - dot_product(lu(i, :i-1), x(:i-1))
    end do
    do i = n, 1, -1
      x(i) = (x(i) - dot_product(lu(i, i+1:n), x(i+1:n)))/lu(i, i)
    end do
  end subroutine linsolve
end module lin
