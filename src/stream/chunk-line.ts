/** A chunk's extensions may be as long as this; nobody sends any. */
const LIMIT_BYTES = 16 * 1024;
/** More hexadecimal digits than any size that a number holds exactly. */
const MOST_DIGITS = 13;

const CR = 13;
const LF = 10;
const SEMICOLON = 0x3b;
const SPACE = 0x20;
const TAB = 0x09;

const DATA_END = 0;
const DATA_END_LF = 1;
const SIZE = 2;
const EXTENSION = 3;
const SIZE_LF = 4;
const OVER = 5;

/** What stands between the data of two chunks: the end of the one, the size of the next. */
export class ChunkLine {
  /** Bytes of the chunk that follows; 0 for the last one. */
  size = 0;
  problem: string | undefined;
  #state: number = SIZE;
  #digits = 0;
  #extensionBytes = 0;

  get isOver(): boolean {
    return this.#state === OVER;
  }

  /** @param isFirst - no data went before it whose end would have to be read. */
  start(isFirst: boolean): void {
    this.#state = isFirst ? SIZE : DATA_END;
    this.size = 0;
    this.#digits = 0;
    this.#extensionBytes = 0;
  }

  take(byte: number): void {
    if (this.#state === SIZE) this.#takeSize(byte);
    else if (this.#state === EXTENSION) this.#takeExtension(byte);
    else if (byte === LF) this.#state = this.#state === SIZE_LF ? OVER : SIZE;
    else if (byte === CR && this.#state === DATA_END) this.#state = DATA_END_LF;
    else this.problem = "a chunk is not as long as it says";
  }

  #takeSize(byte: number): void {
    const digit = hexDigit(byte);
    if (digit >= 0 && this.#digits < MOST_DIGITS) {
      this.size = this.size * 16 + digit;
      this.#digits++;
    } else if (digit >= 0 || this.#digits === 0) this.problem = "a chunk's size is no size";
    else if (byte === CR) this.#state = SIZE_LF;
    else if (byte === LF) this.#state = OVER;
    else if (byte === SEMICOLON || byte === SPACE || byte === TAB) this.#state = EXTENSION;
    else this.problem = "a chunk's size is no size";
  }

  #takeExtension(byte: number): void {
    if (byte === LF) this.#state = OVER;
    else if (++this.#extensionBytes > LIMIT_BYTES) this.problem = "a chunk's line is too long";
  }
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
