! head: loss(l)/(theta)
! use: mlp
! args: theta(17), l
module mlp
  implicit none
  integer, parameter :: dp = kind(1.0d0), nin = 2, nhid = 4, nout = 1
  real(dp), parameter :: xs(nin, 3) = reshape([0.1_dp, 0.9_dp, 0.4_dp, 0.2_dp, 0.7_dp, 0.6_dp], [nin, 3])
  real(dp), dimension(3), parameter :: ys = [0.3_dp, -0.2_dp, 0.8_dp]
contains
  pure function act(x) result(y)
    real(dp), dimension(:), intent(in) :: x
    real(dp), dimension(size(x)) :: y
    where (x > 0)
      y = x
    elsewhere
      y = 0.01_dp*(exp(x) - 1)
    end where
  end function act
  function net(theta, x) result(y)
    real(dp), intent(in) :: theta(:), x(nin)
    real(dp) :: y
    real(dp) :: w1(nhid, nin), b1(nhid), w2(nhid), hid(nhid)
    integer :: o
    o = 0
    w1 = reshape(theta(o+1:o+nhid*nin), [nhid, nin]); o = o + nhid*nin
    b1 = theta(o+1:o+nhid); o = o + nhid
    w2 = theta(o+1:o+nhid); o = o + nhid
    hid = act(matmul(w1, x) + b1)
    y = dot_product(w2, hid) + theta(o+1)
  end function net
  subroutine loss(theta, l)
    real(dp), intent(in) :: theta(17)
    real(dp), intent(out) :: l
    integer :: i
    l = sum([((net(theta, xs(:, i)) - ys(i))**2, i=1, 3)])/3
    l = l + 1e-3_dp*sum(theta**2)
  end subroutine loss
end module mlp
