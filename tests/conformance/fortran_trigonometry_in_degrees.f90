! `sind`, `acosd`, `atan2d`, `cotan`
! f(y)/(x)
subroutine f(x, y)
  double precision, intent(in) :: x(4)
  double precision, intent(out) :: y(4)
  y(1) = sind(x(1))*cosd(x(2))*tand(x(3))
  y(2) = asind(x(1)/9) + acosd(x(2)/9) + atand(x(3))
  y(3) = atan2d(x(1), x(2))
  y(4) = cotan(x(4))
end subroutine
