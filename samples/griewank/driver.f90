! Gradient of Griewank's function for n = 5 at x = 1, by tangent and by adjoint, against its exact value.
program driver
  implicit none
  integer, parameter :: n = 5
  double precision :: a(n), ad(n), ab(n), c, cd, cb, exact(n), product
  integer :: i, j

  a = 1
  do i = 1, n
    product = 1
    do j = 1, n
      if (j /= i) product = product*cos(a(j)/sqrt(dble(j)))
    end do
    exact(i) = a(i)/200 + product*sin(a(i)/sqrt(dble(i)))/sqrt(dble(i))
  end do

  ab = 0
  cb = 1
  call griewank_b(n, a, ab, c, cb)
  do i = 1, n
    ad = 0
    ad(i) = 1
    call griewank_d(n, a, ad, c, cd)
    print '(a,i0,3(a,f18.15))', 'i = ', i, '  adjoint ', ab(i), '  tangent ', cd, '  exact ', exact(i)
    if (abs(ab(i) - exact(i)) > 1d-14 .or. abs(cd - exact(i)) > 1d-14) stop 1
  end do
  if (cb /= 0) stop 1
end program driver
