! Lennard-Jones energy of atoms in a periodic box, shifted to zero at the cutoff.
function ljcut(n, box, cutoff, sigma, epsilon, x) result(energy)
  implicit none
  integer, intent(in) :: n
  double precision, intent(in) :: box, cutoff, sigma, epsilon, x(3, n)
  double precision :: energy, d(3), r2
  integer :: i, j
  energy = 0
  do i = 1, n
    do j = i + 1, n
      d = x(:, i) - x(:, j)
      where (d > 0.5d0*box)
        d = d - box
      elsewhere (d < -0.5d0*box)
        d = d + box
      end where
      r2 = sum(d**2)
      if (r2 < cutoff**2) energy = energy + epsilon*(lennard_jones(r2) - lennard_jones(cutoff**2))
    end do
  end do
contains
  double precision function lennard_jones(r2)
    double precision, intent(in) :: r2
    double precision :: s6
    s6 = (sigma**2/r2)**3
    lennard_jones = 4*(s6**2 - s6)
  end function lennard_jones
end function ljcut
