/** Far beyond the two-sided 95 % quantile of one degree of freedom, 12.7. */
const BEYOND = 1000;
const HALVINGS = 60;

/**
 * The two-sided 95 % quantile of Student's t: |T| stays below it with a probability of 0.95.
 *
 * @param degreesOfFreedom - a whole number from 1 on.
 */
export function studentT95(degreesOfFreedom: number): number {
  let [low, high] = [0, BEYOND];
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (low + high) / 2;
    if (within(middle, degreesOfFreedom) < 0.95) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** P(|T| < t), exact: the finite series of Abramowitz and Stegun 26.7.3 and 26.7.4. */
function within(t: number, degreesOfFreedom: number): number {
  const angle = Math.atan(t / Math.sqrt(degreesOfFreedom));
  const square = Math.cos(angle) ** 2;
  const isOdd = degreesOfFreedom % 2 === 1;
  let term = isOdd ? Math.cos(angle) : 1;
  let sum = 0;
  for (let k = isOdd ? 1 : 0; k <= degreesOfFreedom - 2; k += 2) {
    sum += term;
    term *= ((k + 1) / (k + 2)) * square;
  }
  return isOdd ? (2 / Math.PI) * (angle + Math.sin(angle) * sum) : Math.sin(angle) * sum;
}
