! A long short-term memory cell with m units runs over a sequence. The loss is half the sum of squared distances from targets.
module lstm_cell
  implicit none
contains
  elemental double precision function sigmoid(z)
    double precision, intent(in) :: z
    sigmoid = 1/(1 + exp(-z))
  end function sigmoid

  subroutine cell(m, x, w, u, b, h, c)
    integer, intent(in) :: m
    double precision, intent(in) :: x(m), w(m, 4*m), u(m, 4*m), b(4*m)
    double precision, intent(inout) :: h(m), c(m)
    double precision :: gate(4*m)
    integer :: r
    do r = 1, 4*m
      gate(r) = b(r) + dot_product(w(:, r), x) + dot_product(u(:, r), h)
    end do
    c = sigmoid(gate(m + 1:2*m))*c + sigmoid(gate(1:m))*tanh(gate(3*m + 1:4*m))
    h = sigmoid(gate(2*m + 1:3*m))*tanh(c)
  end subroutine cell
end module lstm_cell

function lstm(steps, m, x, target, w, u, b) result(loss)
  use lstm_cell
  implicit none
  integer, intent(in) :: steps, m
  double precision, intent(in) :: x(m, steps), target(m, steps), w(m, 4*m), u(m, 4*m), b(4*m)
  double precision :: loss, h(m), c(m)
  integer :: t
  h = 0
  c = 0
  loss = 0
  do t = 1, steps
    call cell(m, x(:, t), w, u, b, h, c)
    loss = loss + 0.5d0*sum((h - target(:, t))**2)
  end do
end function lstm
