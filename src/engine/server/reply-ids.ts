/** What all events of one reply say of it. */
export interface ReplyNames {
  readonly id: string;
  readonly model: string;
  readonly createdS: number;
  readonly isChat: boolean;
}

/** The part of an event or a whole reply that names it. */
export function envelope({ id, model, createdS, isChat }: ReplyNames, isStreamed: boolean): object {
  const chatObject = isStreamed ? "chat.completion.chunk" : "chat.completion";
  return { id, object: isChat ? chatObject : "text_completion", created: createdS, model };
}

/** JSON in ASCII, so that its length in characters is that in bytes. */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
