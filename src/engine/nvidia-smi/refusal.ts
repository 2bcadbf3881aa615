/** An answer that is no data: its message is printed as it is on stdout, as the real program does. */
export class SmiRefusal extends Error {
  readonly exitCode: number;

  constructor(exitCode: number, message: string) {
    super(message);
    this.name = "SmiRefusal";
    this.exitCode = exitCode;
  }
}
