module kinds
  use iso_fortran_env, only: dp => real64, sp => real32
  implicit none
  integer, parameter :: wp = selected_real_kind(15, 307), n0 = 3
  real(wp), parameter :: pi = 3.14159_wp, tab(3) = [1.0_wp, 2.0_wp, 3.0_wp]
  real(wp), save :: g = 2.0_wp, h(0:n0)
  private :: h
  interface area
    module procedure area_s, area_v
  end interface
contains
  ! The area.
  pure function area_s(r) result(a)
    real(wp), intent(in) :: r
    real(wp) :: a
    a = pi*r**2
  end function
  function area_v(r)
    real(wp), intent(in) :: r(:)
    real(wp) :: area_v(size(r))
    area_v = pi*r**2
  end function area_v
  subroutine deep(x, y, m)
    real(wp), intent(inout) :: x(:), y(0:,:)
    integer, value :: m
    real(wp) :: auto(m, 0:2*m)
    real(sp) :: small
    real(dp), allocatable :: w(:)
    logical :: ok
    integer :: i, j, k
    allocate(w(0:m), stat=i)
    ok = .true.
    x = area(x)
    g = area_s(x(1)) + area(x(2))*2
    where (x > 0)
      x = x*2
    elsewhere (x < -1)
      x = -x
    elsewhere
      x = 0
    end where
    where (x > 0) x = sqrt(x)
    if (ok .and. area_s(x(1)) > 3) x(1) = inner(x(2))
    do while (area_s(g) > 1.0_wp)
      g = g/2
      if (g < 0.1) cycle
    end do
    do i = 1, m, j
      j = j + i
    end do
    loop: do
      select case (i)
      case (1, 2)
        exit loop
      case (5)
        cycle loop
      case default
        i = i + 1
      end select
      select case (i)
      case (:3)
        k = 1
      case (7:9, 11)
        k = 2
      case default
        k = 3
      end select
    end do loop
    x(1) = max(x(1), x(2), 3._wp)**2**3 - merge(1.0_wp, x(1), ok)
    x(1:m:2) = matmul(y(0:1,:), x) + sum(y(:,1))*dot_product(x, x(m:1:-1))
    x(2) = product(x) + product(x(1:3))
    call other(x(1:3), -1, x(1)+2, k=m)
    w = [1.0, 2.0, x(1)]
    print *, 'hi', x(1), (y(i,1), i=1,m)
    read (*,*,iostat=k) x(2), g
    deallocate(w)
    stop 1
  contains
    function inner(t)
      real(wp) :: inner, t
      inner = t*g + auto(1,1)
    end function
  end subroutine
  subroutine other(v, i, s, k)
    real(wp) :: v(*), s
    integer, optional :: i, k
    if (present(k)) return
    v(1) = s
  end subroutine
end module
program main
  use kinds
  real(wp) :: x(4), y(0:1,4)
  call deep(x, y, 4)
end program
