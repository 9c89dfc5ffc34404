! Conjugate gradients with optional arguments, splines by recursion, least squares, interpolation, recursion in trees.
! head: solve(x)/(a,b)
! use: cg_mod
! args: a(3,3)=[4.d0,1.d0,0.5d0,1.d0,3.d0,0.2d0,0.5d0,0.2d0,2.d0], b(3), x(3)
! head: deboor(deboor)/(t,x)
! use: cg_mod
! function
! args: k=2, i=1, t(5)=[0.d0,0.4d0,1.1d0,1.7d0,2.5d0], x=0.9d0
! head: fit(coef,sse)/(x,y)
! use: cg_mod
! args: m=5, x(5), y(5), coef(0:2), sse
! head: interp(interp)/(ys,x)
! use: cg_mod
! function
! args: xs(4)=[0.d0,0.5d0,1.3d0,2.d0], ys(4), x=0.8d0
! head: tree(tree)/(x)
! use: cg_mod
! function
! args: x, depth=3
! head: with_work(y)/(x)
! use: cg_mod
! args: x(4), y
module cg_mod
  implicit none
  integer, parameter :: dp = kind(1d0)
  real(dp), allocatable :: work(:)
contains
  subroutine cg(a, b, x, tol, maxit, its)
    real(dp), intent(in) :: a(:, :), b(:)
    real(dp), intent(inout) :: x(:)
    real(dp), intent(in), optional :: tol
    integer, intent(in), optional :: maxit
    integer, intent(out), optional :: its
    real(dp), dimension(size(b)) :: r, p, ap
    real(dp) :: rs, rsnew, alpha, eps
    integer :: k, kmax
    eps = 1e-12_dp; if (present(tol)) eps = tol
    kmax = size(b); if (present(maxit)) kmax = maxit
    r = b - matmul(a, x)
    p = r
    rs = dot_product(r, r)
    iter: do k = 1, kmax
      ap = matmul(a, p)
      alpha = rs/dot_product(p, ap)
      x = x + alpha*p
      r = r - alpha*ap
      rsnew = dot_product(r, r)
      if (sqrt(rsnew) < eps) exit iter
      p = r + (rsnew/rs)*p
      rs = rsnew
    end do iter
    if (present(its)) its = k
  end subroutine cg
  subroutine solve(a, b, x)
    real(dp), intent(in) :: a(3, 3), b(3)
    real(dp), intent(out) :: x(3)
    real(dp), allocatable :: y(:)
    allocate (y(size(a, 1)))
    y = matmul(a, b)
    x = 0
    call cg(a, y + b, x, maxit=2)
  end subroutine solve
  recursive pure function deboor(k, i, t, x) result(b)
    integer, intent(in) :: k, i
    real(dp), intent(in) :: t(5), x
    real(dp) :: b
    if (k == 0) then
      b = merge(1.0_dp, 0.0_dp, x >= t(i) .and. x < t(i+1))
    else
      b = 0
      if (t(i+k) > t(i)) b = b + (x - t(i))/(t(i+k) - t(i))*deboor(k-1, i, t, x)
      if (t(i+k+1) > t(i+1)) b = b + (t(i+k+1) - x)/(t(i+k+1) - t(i+1))*deboor(k-1, i+1, t, x)
    end if
  end function deboor
  subroutine fit(m, x, y, coef, sse)
    integer, intent(in) :: m
    real(dp), intent(in) :: x(m), y(m)
    real(dp), intent(out) :: coef(0:2), sse
    real(dp) :: v(m, 0:2), ata(0:2, 0:2), atb(0:2), f
    integer :: i, j, k
    v(:, 0) = 1
    v(:, 1) = x
    v(:, 2) = x**2
    ata = matmul(transpose(v), v)
    atb = matmul(transpose(v), y)
    do k = 0, 1
      do i = k + 1, 2
        f = ata(i, k)/ata(k, k)
        ata(i, k:) = ata(i, k:) - f*ata(k, k:)
        atb(i) = atb(i) - f*atb(k)
      end do
    end do
    do i = 2, 0, -1
      coef(i) = (atb(i) - sum([(ata(i, j)*coef(j), j = i + 1, 2)]))/ata(i, i)
    end do
    sse = sum((matmul(v, coef) - y)**2)
  end subroutine fit
  pure function interp(xs, ys, x) result(y)
    real(dp), intent(in) :: xs(4), ys(4), x
    real(dp) :: y, w
    integer :: i
    do i = 1, 2
      if (xs(i+1) > x) exit
    end do
    w = (x - xs(i))/(xs(i+1) - xs(i))
    y = (1 - w)*ys(i) + w*ys(i+1)
  end function interp
  recursive function tree(x, depth) result(v)
    real(dp), intent(in) :: x
    integer, intent(in) :: depth
    real(dp) :: v
    if (depth == 0) then
      v = x
    else
      v = tree(sin(x), depth - 1)*tree(x*0.5_dp, depth - 1) + x
    end if
  end function tree
  subroutine with_work(x, y)
    real(dp), intent(in) :: x(4)
    real(dp), intent(out) :: y
    if (.not. allocated(work)) allocate (work(size(x)))
    work = x*2
    y = sum(work**2)
  end subroutine with_work
end module cg_mod
