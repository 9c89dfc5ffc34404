! Bilinear interpolation with clamping; functions of functions; module tables filled by a procedure.
! head: sample(v)/(x,y,scale)
! use: grid
! args: x=1.3d0, y=2.6d0, v
! global: scale=1.1d0
module grid
  implicit none
  integer, parameter :: nx = 4, ny = 5
  real(8) :: scale
  real(8), private :: z(nx, ny)
contains
  subroutine fill
    integer :: i, j
    do j = 1, ny
      do i = 1, nx
        z(i, j) = sin(0.3d0*i)*scale + cos(0.2d0*i*j)*scale**2
      end do
    end do
  end subroutine fill
  function lerp(a, b, t) result(r)
    real(8), intent(in) :: a, b, t
    real(8) :: r
    r = a + t*(b - a)
  end function lerp
  subroutine sample(x, y, v)
    real(8), intent(in) :: x, y
    real(8), intent(out) :: v
    integer :: i, j
    real(8) :: u, w
    call fill()
    i = min(max(int(x), 1), nx - 1)
    j = min(max(int(y), 1), ny - 1)
    u = x - i
    w = y - j
    v = lerp(lerp(z(i, j), z(i + 1, j), u), lerp(z(i, j + 1), z(i + 1, j + 1), u), w)
  end subroutine sample
end module grid
