module constants
  implicit none
  real(8), parameter :: half = 0.5d0
end module constants
