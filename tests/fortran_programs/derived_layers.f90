! head: predict(y)/(w1,b1,x)
! use: nets
! args: n=3, m=2, w1(2,3), b1(2), x(3), y
module nets
  implicit none
  integer, parameter :: wp = selected_real_kind(15)
  type :: layer
    integer :: nin, nout
    real(wp), allocatable :: w(:, :), b(:)
  end type layer
  type net
    type(layer) :: hidden
    real(wp) :: scale
    character(len=8) :: name
  end type net
contains
  subroutine init(l, nin, nout)
    type(layer), intent(inout) :: l
    integer, intent(in) :: nin, nout
    l%nin = nin
    l%nout = nout
    l%w = 0
    l%b = 0
  end subroutine init
  subroutine forward(l, x, z)
    type(layer), intent(in) :: l
    real(wp), intent(in) :: x(:)
    real(wp), intent(out) :: z(:)
    integer :: i
    do i = 1, l%nout
      z(i) = tanh(dot_product(l%w(i, :), x) + l%b(i))
    end do
  end subroutine forward
  subroutine predict(n, m, w1, b1, x, y)
    integer, intent(in) :: n, m
    real(wp), intent(in) :: w1(m, n), b1(m), x(n)
    real(wp), intent(out) :: y
    type(net) :: nn
    real(wp) :: z(m)
    nn%name = 'small'
    nn%scale = 2
    allocate (nn%hidden%w(m, n), nn%hidden%b(m))
    call init(nn%hidden, n, m)
    nn%hidden%w = w1
    nn%hidden%b(:) = b1
    call forward(nn%hidden, x, z)
    nn%scale = nn%scale*sum(x)
    y = nn%scale*sum(z**2)
    if (y < -1e10_wp) print *, nn%name, ' overflow'
  end subroutine predict
end module nets
