! Poses of a chain of bones against measured joint positions. Each joint turns by three Euler angles and carries a bone along its x axis.
function skeleton(poses, joints, target, angle, length) result(cost)
  implicit none
  integer, intent(in) :: poses, joints
  double precision, intent(in) :: target(3, joints, poses), angle(3, joints, poses), length(joints)
  double precision :: cost, world(4, 4)
  integer :: p, j, i
  cost = 0
  do p = 1, poses
    world = 0
    do i = 1, 4
      world(i, i) = 1
    end do
    do j = 1, joints
      world = matmul(world, joint_transform(angle(:, j, p), length(j)))
      cost = cost + sum((world(1:3, 4) - target(:, j, p))**2)
    end do
  end do
contains
  function joint_transform(angle, length) result(t)
    double precision, intent(in) :: angle(3), length
    double precision :: t(4, 4), c(3), s(3)
    c = cos(angle)
    s = sin(angle)
    t(1, 1:3) = [c(1)*c(2), c(1)*s(2)*s(3) - s(1)*c(3), c(1)*s(2)*c(3) + s(1)*s(3)]
    t(2, 1:3) = [s(1)*c(2), s(1)*s(2)*s(3) + c(1)*c(3), s(1)*s(2)*c(3) - c(1)*s(3)]
    t(3, 1:3) = [-s(2), c(2)*s(3), c(2)*c(3)]
    t(4, 1:3) = 0
    t(1:3, 4) = length*t(1:3, 1)
    t(4, 4) = 1
  end function joint_transform
end function skeleton
