! Squared distance of a blurred image from a target, the blur a small kernel.
function conv2d(n, k, target, image, kernel) result(cost)
  implicit none
  integer, intent(in) :: n, k
  double precision, intent(in) :: target(n - k + 1, n - k + 1), image(n, n), kernel(k, k)
  double precision :: cost, blurred(n - k + 1, n - k + 1)
  integer :: p, q, m
  m = n - k + 1
  blurred = 0
  do p = 1, k
    do q = 1, k
      blurred = blurred + kernel(q, p)*image(q:q + m - 1, p:p + m - 1)
    end do
  end do
  cost = 0.5d0*sum((blurred - target)**2)
end function conv2d
