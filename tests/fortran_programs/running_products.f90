! Products and linear recurrences, in arguments and results, run down and up, whole and in callees.
! head: running_products(r,p)/(a,b,p)
! args: n=5, a(5), b(5), p, r
subroutine running_products(n, a, b, p, r)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: a(n), b(n)
  real(8), intent(inout) :: p
  real(8), intent(out) :: r
  real(8) :: q, s
  integer :: i, k
  call product_of(n, a, q)
  call product_of(n - 1, b(2), s)
  r = q*s + s
  do k = 1, 2
    do i = n, 1, -1
      p = p*a(i)
    end do
    r = r + p*horner(n, b)
  end do
contains
  real(8) function horner(m, c)
    integer, intent(in) :: m
    real(8), intent(in) :: c(m)
    integer :: j
    horner = 1
    do j = 3, m
      horner = a(j)*horner - c(j)/2
    end do
  end function
end subroutine
subroutine product_of(n, a, p)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: a(n)
  real(8), intent(out) :: p
  integer :: i
  p = 2
  do i = 2, n
    p = p*a(i)
  end do
end subroutine
