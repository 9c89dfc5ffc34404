! Arrays that a call sets as wholes, in loops whose iterations need nothing of each other, and in loops whose iterations do.
! head: misfit(total)/(cams,pts,w)
! use: filled_by_calls
! args: n=3, m=4, p=5, cams(4,3), pts(2,4), w(5), total
! head: mixture(err)/(alphas,means)
! use: filled_by_calls
! args: d=2, k=3, n=4, alphas(3), means(2,3), err
! head: carried(y)/(x,e)
! use: filled_by_calls
! args: n=4, x(4), e(2)~, y
module filled_by_calls
  implicit none
contains
  subroutine distort(r, q)
    real(8), intent(in) :: r
    real(8), intent(inout) :: q(2)
    q = q*(1 + r*sum(q*q))
  end subroutine
  subroutine residual(cam, x, w, e)
    real(8), intent(in) :: cam(4), x(2), w
    real(8), intent(out) :: e(2)
    real(8) :: q(2)
    q = x - cam(1:2)
    call distort(cam(3), q)
    e = w*(q*cam(4) - 0.5d0)
  end subroutine
  subroutine misfit(n, m, p, cams, pts, w, total)
    integer, intent(in) :: n, m, p
    real(8), intent(in) :: cams(4, n), pts(2, m), w(p)
    real(8), intent(out) :: total
    real(8) :: e(2)
    integer :: i
    total = 0
    do i = 1, p
      call residual(cams(:, mod(i, n) + 1), pts(:, mod(i, m) + 1), w(i), e)
      total = total + sum(e**2) + (1 - w(i)**2)**2
    end do
  end subroutine
  subroutine scaled(d, s, x, out)
    integer, intent(in) :: d
    real(8), intent(in) :: s, x(d)
    real(8), intent(out) :: out(d)
    integer :: i
    do i = 1, d
      out(i) = s*x(i)**3
    end do
    out(d) = out(d)*out(1)
  end subroutine
  subroutine mixture(d, k, n, alphas, means, err)
    integer, intent(in) :: d, k, n
    real(8), intent(in) :: alphas(k), means(d, k)
    real(8), intent(out) :: err
    real(8) :: centered(d), q(d), term(k)
    integer :: i, j
    err = 0
    do i = 1, n
      do j = 1, k
        centered = 0.1d0*i - means(:, j)
        call scaled(d, alphas(j), centered, q)
        term(j) = alphas(j) - 0.5d0*sum(q*q)
      end do
      err = err + log(sum(exp(term)))
    end do
  end subroutine
  ! What an iteration sets the next one reads, and some iterations set nothing.
  subroutine carried(n, x, e, y)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8), intent(inout) :: e(2)
    real(8), intent(out) :: y
    integer :: i
    y = 0
    do i = 1, n
      if (i /= 2) call scaled(2, 0.5d0 + 0.1d0*x(i), cshift(e, 1), e)
      e = sin(e) + 0.3d0
      call distort(0.05d0*x(i), e)
      y = y + e(1)*sin(e(2))
    end do
  end subroutine
end module
