! Mean cross entropy of a classifier with one hidden layer of tanh units and a softmax.
function mlp(n, d, m, k, x, label, w1, b1, w2, b2) result(loss)
  implicit none
  integer, intent(in) :: n, d, m, k, label(n)
  double precision, intent(in) :: x(d, n), w1(d, m), b1(m), w2(m, k), b2(k)
  double precision :: loss, hidden(m), y(k), most
  integer :: i
  loss = 0
  do i = 1, n
    hidden = tanh(matmul(x(:, i), w1) + b1)
    y = matmul(hidden, w2) + b2
    most = maxval(y)
    loss = loss + most + log(sum(exp(y - most))) - y(label(i) + 1)
  end do
  loss = loss/n
end function mlp
