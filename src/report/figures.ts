/** Joules for people: 4 digits that count, at most 2 behind the point, thousands apart. */
export function joules(valueJ: number): string {
  return `${figure(valueJ)} J`;
}

/** Watts for people. */
export function watts(valueW: number): string {
  return `${valueW.toFixed(1)} W`;
}

/** Seconds for people. */
export function seconds(valueS: number): string {
  return `${valueS < 100 ? valueS.toFixed(2) : valueS.toFixed(1)} s`;
}

/** A share of 1 as a percentage for people. */
export function percent(share: number, digits = 0): string {
  return `${(share * 100).toFixed(digits)} %`;
}

function figure(value: number): string {
  const digits = Math.abs(value) >= 1000 ? 1 : 2;
  return value.toLocaleString("en-US", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}
