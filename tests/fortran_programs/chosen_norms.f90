! A generic norm, named loops, SELECT CASE and ASSOCIATE.
! head: poly(y)/(x)
! use: chosen_norms
! args: x(4), y, mode=1
! head: poly(y)/(x)
! use: chosen_norms
! args: x(4), y, mode=3
! head: poly(y)/(x)
! use: chosen_norms
! args: x(4), y, mode=7
module chosen_norms
  implicit none
  interface norm
    module procedure norm1, norm2d
  end interface
contains
  pure function norm1(v) result(r)
    real(8), intent(in) :: v(:)
    real(8) :: r
    r = sqrt(sum(v*v))
  end function
  pure function norm2d(a) result(r)
    real(8), intent(in) :: a(:,:)
    real(8) :: r
    r = maxval(sum(abs(a), dim=1))
  end function
  subroutine poly(x, y, mode)
    real(8), intent(in) :: x(4)
    real(8), intent(out) :: y
    integer, intent(in) :: mode
    real(8) :: a(2,2), z
    integer :: i
    a = reshape(x, [2, 2])
    select case (mode)
    case (:1)
      y = norm(x) + norm(a)
    case (2:4)
      y = norm(matmul(a, transpose(a)))
      outer: do i = 1, 10
        inner: do
          y = y*0.9d0
          if (y < 1) exit outer
          if (y < 2) exit inner
        end do inner
        y = y + 0.1d0*x(1)
      end do outer
    case default
      z = x(1)
      associate (u => x(2:3), w => x(4)*z)
        y = dot_product(u, u)*w + merge(z, w, z > w)*sum(pack(x, x > 0.5d0))
      end associate
    end select
  end subroutine
end module
