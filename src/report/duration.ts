/** A time for people, as exact as an estimate can be: `40 s`, `3 min`, `1 h 20 min`. */
export function roughDuration(seconds: number): string {
  if (seconds < 99.5) return `${Math.max(1, Math.round(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 100) return `${minutes} min`;
  const rest = minutes % 60;
  return rest === 0 ? `${(minutes - rest) / 60} h` : `${(minutes - rest) / 60} h ${rest} min`;
}

/** A time that runs, as a clock shows it: `0:07`, `12:40`, `1:02:03`. */
export function clockTime(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const two = (value: number): string => String(value).padStart(2, "0");
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const end = `${two(whole % 60)}`;
  return hours > 0 ? `${hours}:${two(minutes)}:${end}` : `${minutes}:${end}`;
}
