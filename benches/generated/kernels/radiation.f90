! Two-stream fluxes in plane-parallel columns: reflectance and transmittance of each layer, then adding of layers from the surface up.
module two_stream
  implicit none
contains
  elemental subroutine layer(mu, tau, omega, g, reflect, transmit)
    double precision, intent(in) :: mu, tau, omega, g
    double precision, intent(out) :: reflect, transmit
    double precision :: back, gamma1, gamma2, k, e, denominator
    back = 0.5d0*(1 - g)*omega
    gamma1 = (1 - omega + back)/mu
    gamma2 = back/mu
    k = sqrt(gamma1**2 - gamma2**2)
    e = exp(-2*k*tau)
    denominator = k*(1 + e) + gamma1*(1 - e)
    reflect = gamma2*(1 - e)/denominator
    transmit = 2*k*sqrt(e)/denominator
  end subroutine layer
end module two_stream

subroutine radiation(columns, layers, mu, tau, omega, g, surface, up, down)
  use two_stream
  implicit none
  integer, intent(in) :: columns, layers
  double precision, intent(in) :: mu, tau(layers, columns), omega(layers, columns), g(layers, columns), surface(columns)
  double precision, intent(out) :: up(layers + 1, columns), down(layers + 1, columns)
  double precision :: r(layers), t(layers), albedo(layers + 1), source(layers)
  integer :: c, i
  do c = 1, columns
    call layer(mu, tau(:, c), omega(:, c), g(:, c), r, t)
    albedo(layers + 1) = surface(c)
    do i = layers, 1, -1
      source(i) = 1/(1 - r(i)*albedo(i + 1))
      albedo(i) = r(i) + t(i)**2*albedo(i + 1)*source(i)
    end do
    down(1, c) = 1
    do i = 1, layers
      down(i + 1, c) = t(i)*source(i)*down(i, c)
    end do
    up(:, c) = albedo*down(:, c)
  end do
end subroutine radiation
