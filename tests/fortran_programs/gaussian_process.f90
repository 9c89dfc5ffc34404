! head: gp(nll)/(theta,y)
! use: gpr
! args: n=4, x(4)=[0.1d0,0.5d0,1.1d0,1.9d0], y(4), theta(3), nll
module gpr
  implicit none
  integer, parameter :: dp = kind(1.0d0)
contains
  subroutine cholesky(a, info)
    real(dp), intent(inout) :: a(:, :)
    integer, intent(out) :: info
    integer :: i, j, n
    n = size(a, 1)
    info = 0
    columns: do j = 1, n
      a(j, j) = a(j, j) - dot_product(a(j, :j-1), a(j, :j-1))
      if (a(j, j) <= 0) then
        info = j
        return
      end if
      a(j, j) = sqrt(a(j, j))
      do i = j + 1, n
        a(i, j) = (a(i, j) - sum(a(i, 1:j-1)*a(j, 1:j-1)))/a(j, j)
      end do
      a(1:j-1, j) = 0
    end do columns
  end subroutine cholesky
  subroutine gp(n, x, y, theta, nll)
    integer, intent(in) :: n
    real(dp), intent(in) :: x(n), y(n), theta(3)
    real(dp), intent(out) :: nll
    real(dp), allocatable :: k(:, :), alpha(:)
    integer :: i, j, info
    allocate (k(n, n), alpha(n))
    forall (i=1:n, j=1:n) k(i, j) = theta(1)**2*exp(-0.5_dp*((x(i) - x(j))/theta(2))**2)
    do concurrent (i=1:n)
      k(i, i) = k(i, i) + theta(3)**2 + 1.0e-8_dp
    end do
    call cholesky(k, info)
    if (info /= 0) error stop 'gp: not positive definite'
    alpha = y
    do i = 1, n
      alpha(i) = (alpha(i) - dot_product(k(i, 1:i-1), alpha(1:i-1)))/k(i, i)
    end do
    nll = 0.5_dp*dot_product(alpha, alpha)
    do i = 1, n
      nll = nll + log(k(i, i))
    end do
  end subroutine gp
end module gpr
