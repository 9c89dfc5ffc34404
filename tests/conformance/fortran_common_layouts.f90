! COMMON that units lay out differently
! f(y)/(x)
subroutine f(x, y)
  double precision x, y, a, b(2)
  common /c/ a, b
  a = x*x
  b = x
  call g
  y = b(2)*x
end subroutine
subroutine g
  double precision v(3)
  common /c/ v
  v(3) = v(1)*v(2)
end subroutine
