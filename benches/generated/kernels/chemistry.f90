! Four species in boxes: Arrhenius rates, and photolysis from a table over the temperature with linear interpolation, in Euler steps.
subroutine chemistry(cells, steps, h, entries, photolysis, factor, temperature, conc)
  implicit none
  integer, intent(in) :: cells, steps, entries
  double precision, intent(in) :: h, photolysis(entries), factor(4), temperature(cells)
  double precision, intent(inout) :: conc(4, cells)
  double precision, parameter :: energy(4) = [800d0, 1500d0, 400d0, 2100d0]
  double precision :: k(4), j
  integer :: i, t
  do i = 1, cells
    j = lookup(photolysis, temperature(i))
    k = factor*exp(energy*(1/298d0 - 1/temperature(i)))
    do t = 1, steps
      conc(:, i) = conc(:, i) + h*rates(k, j, conc(:, i))
    end do
  end do
contains
  double precision function lookup(table, temperature)
    double precision, intent(in) :: table(:), temperature
    double precision :: position
    integer :: at
    position = (temperature - 250)*(size(table) - 1)/100
    if (position <= 0) then
      lookup = table(1)
    else if (position >= size(table) - 1) then
      lookup = table(size(table))
    else
      at = int(position)
      lookup = table(at + 1) + (position - at)*(table(at + 2) - table(at + 1))
    end if
  end function lookup

  pure function rates(k, j, c) result(change)
    double precision, intent(in) :: k(4), j, c(4)
    double precision :: change(4), net, self, mixed, photo
    net = k(2)*c(3) - k(1)*c(1)*c(2)
    self = k(3)*c(2)**2
    mixed = k(4)*c(3)*c(4)
    photo = j*c(4)
    change = [net + photo, net - 2*self + photo, -net - mixed, self + mixed - photo]
  end function rates
end subroutine chemistry
