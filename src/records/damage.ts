/** So many lines of one file are told one by one. */
const MOST_TOLD = 20;

/** What is wrong with the raw files of a run, in words; a file full of nonsense is told in few. */
export class Damage {
  readonly #told: string[] = [];
  readonly #linesByFile = new Map<string, number>();

  /** A line that says nothing, and is left out. */
  line(file: string, line: number, problem: string): void {
    const count = (this.#linesByFile.get(file) ?? 0) + 1;
    this.#linesByFile.set(file, count);
    if (count <= MOST_TOLD) this.#told.push(`${file}, line ${line}: ${problem}, left out`);
  }

  /** Anything else. */
  tell(problem: string): void {
    this.#told.push(problem);
  }

  all(): readonly string[] {
    const more = [...this.#linesByFile]
      .filter(([, count]) => count > MOST_TOLD)
      .map(([file, count]) => `${file}: ${count - MOST_TOLD} more lines were left out`);
    return [...this.#told, ...more];
  }
}
