import { asciiJson, envelope, type ReplyNames } from "./reply-ids.ts";

/** Where the text goes in the pattern of an event; no name holds it. */
const TEXT_MARK = "\u0001";

/** The events of one streamed reply, as JSON. */
export class EventText {
  readonly #names: ReplyNames;
  readonly #aroundByChoice: (readonly [string, string])[] = [];

  constructor(names: ReplyNames) {
    this.#names = names;
  }

  /** The event with which a chat reply opens. */
  opening(choice: number): string {
    const delta = { role: "assistant", content: "" };
    return this.#event([{ index: choice, delta, logprobs: null, finish_reason: null }]);
  }

  /**
   * A token event. Hot: everything but the text is made once for each choice.
   *
   * @param text - ASCII.
   * @param more - JSON members with a comma in front, or nothing.
   */
  token(choice: number, text: string, more: string): string {
    const [before, behind] = this.#around(choice);
    return `${before}${escaped(text)}${behind}${more}}`;
  }

  /** The event that says why a choice ends. */
  closing(choice: number, finishReason: string): string {
    const { isChat } = this.#names;
    const content = isChat ? { delta: {} } : { text: "" };
    const end = { index: choice, ...content, logprobs: null, finish_reason: finishReason };
    return this.#event([end]);
  }

  /** The last event, with what is known of the whole reply. */
  summary(members: object): string {
    return this.#event([], members);
  }

  #around(choice: number): readonly [string, string] {
    const known = this.#aroundByChoice[choice];
    if (known) return known;
    const content = this.#names.isChat ? { delta: { content: TEXT_MARK } } : { text: TEXT_MARK };
    const event = this.#event([
      { index: choice, ...content, logprobs: null, finish_reason: null },
    ]).slice(0, -1);
    const mark = asciiJson(TEXT_MARK).slice(1, -1);
    const at = event.lastIndexOf(mark);
    const around = [event.slice(0, at), event.slice(at + mark.length)] as const;
    this.#aroundByChoice[choice] = around;
    return around;
  }

  #event(choices: readonly object[], members: object = {}): string {
    return asciiJson({ ...envelope(this.#names, true), choices, ...members });
  }
}

/** Tokens are ASCII and hold few characters that JSON escapes. */
function escaped(text: string): string {
  return /[\\"\n]/.test(text) ? JSON.stringify(text).slice(1, -1) : text;
}
