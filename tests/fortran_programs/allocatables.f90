! Local allocatables and automatic arrays with odd lower bounds.
! head: f(y)/(x)
! args: n=5, x(5), y
subroutine f(n, x, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y
  real(8), allocatable :: w(:), m(:,:)
  real(8) :: auto(-1:n-2, 0:1)
  integer :: i
  allocate(w(0:n-1), m(n, 2))
  do i = 1, n
    w(i-1) = x(i)**2
  end do
  m(:, 1) = w
  m(:, 2) = x*w(0)
  auto(:, 0) = m(:, 1)*m(:, 2)
  auto(:, 1) = sin(x)
  deallocate(w)
  y = sum(auto)*m(n, 2)
end subroutine f
