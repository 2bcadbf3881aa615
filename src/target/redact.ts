import { type DecodedText, decodeOnce, lowerAscii, rawText } from "./decoded-text.ts";

const MARK = "[redacted]";

/** Fewer than so many characters at an edge of a text give nothing away, and are everywhere. */
const FEWEST_AT_EDGE = 4;
/** A part of so many characters, and of half of a secret, is hidden anywhere. */
const FEWEST_INSIDE = 8;
/** A secret shorter than this is hidden only where it stands alone: `1` is in every number. */
const SHORTEST_ANYWHERE = 4;
/** Escapes within escapes that are looked through: JSON in JSON in a URL. */
const MOST_LAYERS = 3;
const LONGEST_CUT_MARK = 10;

/** What may follow a part at the end of a cut text: a broken escape, the mark of whoever cut it. */
const CUT_END =
  /^(?:%[\da-f]?|\\(?:u[\da-f]{0,3})?|&#?\w{0,5})?(?:\.{3}|\xe2\x80\xa6|\xef\xbf\xbd)?$/i;
/** The same before its beginning, read backwards. */
const CUT_START = /^(?:[\da-f]{0,4}|\w{0,4};)(?:\.{3}|\xa6\x80\xe2|\xbd\xbf\xef)?$/i;

type Span = readonly [start: number, end: number];

/** How one secret looks in a text; `isBase64` hides the whole run that it is found in. */
interface Spelling {
  readonly bytes: string;
  readonly isBase64: boolean;
}

/**
 * Makes the function that takes secrets out of texts, in whatever spelling: as they are, in another
 * case, percent-encoded, JSON-escaped, HTML-escaped, these in each other, and base64.
 *
 * Parts are hidden as well, since a text may have been cut within a secret: at an edge of the text
 * from 4 characters on, anywhere from half of a secret on. So redact first and cut afterwards.
 */
export function redactorOf(secrets: readonly string[]): (text: string) => string {
  const present = [...new Set(secrets.map((secret) => secret.trim()))].filter(Boolean);
  const spellings = present.flatMap(spellingsOf);
  if (spellings.length === 0) return (text) => text;
  return (text) => {
    const spans: Span[] = [];
    let layer: DecodedText | undefined = rawText(text);
    for (let depth = 0; layer !== undefined && depth <= MOST_LAYERS; depth++) {
      spans.push(...spansIn(layer, spellings));
      layer = decodeOnce(layer);
    }
    return hide(text, spans);
  };
}

function spellingsOf(secret: string): Spelling[] {
  const bytes = Buffer.from(secret, "utf8").toString("latin1");
  return [{ bytes: lowerAscii(bytes), isBase64: false }, ...base64Cores(bytes)];
}

/** What base64 makes of the secret at each of three places, less the ends that its neighbours touch. */
function base64Cores(bytes: string): Spelling[] {
  if (bytes.length < 6) return [];
  return [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.from("\0".repeat(before) + bytes, "latin1").toString("base64");
    const wholeUntil = Math.floor(((before + bytes.length) * 8) / 6);
    const core = encoded.slice(Math.ceil((before * 8) / 6), wholeUntil);
    const urlSafe = core.replaceAll("+", "-").replaceAll("/", "_");
    return [...new Set([core, urlSafe])].map((text) => ({ bytes: text, isBase64: true }));
  });
}

function spansIn(layer: DecodedText, spellings: readonly Spelling[]): Span[] {
  const { bytes, lowered } = layer;
  const backwards = { bytes: reversed(bytes), lowered: reversed(lowered) };
  return spellings.flatMap((spelling) => {
    const kind = spelling.isBase64 ? "bytes" : "lowered";
    const found = [
      ...matches(spelling.bytes, layer[kind], CUT_END),
      ...matches(reversed(spelling.bytes), backwards[kind], CUT_START).map(
        ([start, end]): Span => [bytes.length - end, bytes.length - start],
      ),
    ];
    return found.map(([start, end]): Span => {
      const [from, to] = spelling.isBase64 ? wholeRun(bytes, start, end) : [start, end];
      return [layer.startOf(from), layer.endOf(to - 1)];
    });
  });
}

/** Where a secret, or enough of its beginning, stands in a text. */
function matches(secret: string, text: string, cut: RegExp): Span[] {
  const head = secret.slice(0, FEWEST_AT_EDGE);
  const enough = Math.min(secret.length, Math.max(FEWEST_INSIDE, Math.ceil(secret.length / 2)));
  const found: Span[] = [];
  for (let at = text.indexOf(head); at !== -1; at = text.indexOf(head, at + 1)) {
    let end = at + head.length;
    while (end - at < secret.length && text[end] === secret[end - at]) end++;
    const isPart = end - at < secret.length;
    const isCut = isPart && text.length - end <= LONGEST_CUT_MARK && cut.test(text.slice(end));
    if (end - at < enough && !isCut) continue;
    if (secret.length < SHORTEST_ANYWHERE && !standsAlone(text, at, end)) continue;
    found.push([at, isCut ? text.length : end]);
  }
  return found;
}

function reversed(text: string): string {
  return text.split("").reverse().join("");
}

function standsAlone(text: string, start: number, end: number): boolean {
  return !/\w/.test(text[start - 1] ?? " ") && !/\w/.test(text[end] ?? " ");
}

function wholeRun(text: string, start: number, end: number): Span {
  const isInRun = (at: number): boolean => /[\w+/-]/.test(text[at] ?? " ");
  let [from, to] = [start, end];
  while (isInRun(from - 1)) from--;
  while (isInRun(to)) to++;
  while (text[to] === "=") to++;
  return [from, to];
}

function hide(text: string, spans: Span[]): string {
  let shown = "";
  let hiddenUntil = 0;
  for (const [start, end] of spans.toSorted((a, b) => a[0] - b[0])) {
    if (end <= hiddenUntil) continue;
    // Overlapping and touching spans make one mark.
    if (start > hiddenUntil || shown === "") shown += text.slice(hiddenUntil, start) + MARK;
    hiddenUntil = end;
  }
  return shown + text.slice(hiddenUntil);
}
