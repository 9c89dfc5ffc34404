! Prints the gradient of cost by its adjoint.
program main
  use costs, only: cost_b
  implicit none
  double precision :: x(3) = [1d0, 2d0, 3d0], xb(3) = 0d0, c, cb = 1d0

  call cost_b(3, x, xb, c, cb)
  print '(3f12.8)', xb
end program main
