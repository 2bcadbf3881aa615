import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { redactorOf } from "../../src/target/redact.ts";

const KEY = "sk-test-SECRET123";
const redact = redactorOf([KEY]);

const percentAll = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
const unicodeAll = (text: string): string =>
  [...text].map((it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
const base64 = (text: string): string => Buffer.from(text).toString("base64");

describe("a secret in a text", () => {
  test.each([
    ["as it is", KEY],
    ["in capitals", KEY.toUpperCase()],
    ["percent-encoded throughout", percentAll(KEY)],
    ["percent-encoded in part", KEY.replaceAll("-", "%2D")],
    ["percent-encoded twice", KEY.replaceAll("-", "%252d")],
    ["JSON-escaped throughout", unicodeAll(KEY)],
    ["JSON-escaped twice", unicodeAll(KEY).replaceAll("\\", "\\\\")],
    ["HTML-escaped", KEY.replaceAll("-", "&#45;").replaceAll("S", "&#x53;")],
  ])("%s", (_how, spelling) => {
    expect(redact(`key ${spelling} was refused`)).toBe("key [redacted] was refused");
    expect(redact(spelling)).toBe("[redacted]");
    expect(redact(`${spelling}, ${spelling}`)).toBe("[redacted], [redacted]");
  });

  test.each(["", "a", "ab", "abc", "Bearer "])(
    "in base64 behind %j, at whatever place",
    (before) => {
      for (const after of ["", "x", "xy"]) {
        const encoded = base64(before + KEY + after);
        expect(redact(`header "${encoded}" sent`)).toBe('header "[redacted]" sent');
        expect(redact(Buffer.from(before + KEY + after).toString("base64url"))).toBe("[redacted]");
      }
    },
  );

  test("base64 in a URL", () => {
    expect(redact(`/?auth=${encodeURIComponent(base64(`user:${KEY}`))}&x=1`)).toBe(
      "/?auth=[redacted]&x=1",
    );
  });

  test("characters that JSON, URLs and forms write otherwise", () => {
    const odd = 'p"a\\s/s w%41é+&';
    const hide = redactorOf([odd]);
    for (const spelling of [
      odd,
      JSON.stringify(odd).slice(1, -1),
      JSON.stringify(JSON.stringify(odd)).slice(3, -3),
      encodeURIComponent(odd),
      encodeURIComponent(encodeURIComponent(odd)),
      new URLSearchParams({ odd }).toString().slice(4),
      odd.replaceAll("/", "\\/").replaceAll("&", "&amp;"),
    ]) {
      // The rest of an entity whose ampersand is the secret's last character tells nothing.
      expect(hide(`<${spelling}>`)).toMatch(/^<\[redacted\](?:amp;)?>$/);
    }
  });

  test("text around it stays as it was, other languages included", () => {
    expect(redact(`naïve 🙂 ${KEY} 日本 %41`)).toBe("naïve 🙂 [redacted] 日本 %41");
    expect(redact("Bearer token is missing")).toBe("Bearer token is missing");
  });
});

describe("a secret that was cut", () => {
  test.each([4, 7, 12, 16])("%i of its characters at the end of a text", (length) => {
    for (const end of ["", "...", "…", "\uFFFD", "%", "%2", "\\", "\\u00"]) {
      expect(redact(`wrong key: ${KEY.slice(0, length)}${end}`)).toBe("wrong key: [redacted]");
    }
  });

  test.each([4, 7, 12, 16])("%i of its characters at the start", (length) => {
    expect(redact(`${KEY.slice(-length)} is wrong`)).toBe("[redacted] is wrong");
    expect(redact(`…${KEY.slice(-length)} is wrong`)).toBe("[redacted] is wrong");
  });

  test("cut within an escape, or within base64", () => {
    expect(redact(`wrong: ${percentAll(KEY).slice(0, 20)}`)).toBe("wrong: [redacted]");
    expect(redact(`wrong: ${base64(KEY).slice(0, 9)}`)).toBe("wrong: [redacted]");
  });

  test("the greater part of it anywhere", () => {
    expect(redact("got sk-test-SECR***")).toBe("got [redacted]***");
    expect(redact("got ***SECRET123.")).toBe("got ***[redacted].");
  });

  test("three characters give nothing away", () => {
    expect(redact("risk")).toBe("risk");
    expect(redact("a desk-")).toBe("a desk-");
  });
});

describe("which texts are secrets", () => {
  test("none: nothing changes", () => {
    expect(redactorOf([])("text")).toBe("text");
    expect(redactorOf(["", "  "])("text ")).toBe("text ");
  });

  test("a very short one is hidden where it stands alone", () => {
    const hide = redactorOf(["1"]);
    expect(hide("HTTP/1.1 tenant=1; 1234 tokens, 21 s")).toBe(
      "HTTP/[redacted].[redacted] tenant=[redacted]; 1234 tokens, 21 s",
    );
  });

  test("one that holds another", () => {
    const hide = redactorOf(["SECRET", "SECRET-and-more"]);
    expect(hide("is SECRET-and-more, SECRET.")).toBe("is [redacted], [redacted].");
  });
});

test("whatever the key and the text, the key is not in what is shown", () => {
  const key = fc.string({ minLength: 8, maxLength: 40, unit: "grapheme-ascii" });
  fc.assert(
    fc.property(key, fc.string(), fc.string(), fc.nat(60), (secret, before, after, length) => {
      fc.pre(secret.trim().length >= 8 && !secret.includes("[redacted]"));
      const hide = redactorOf([secret]);
      for (const spelling of [secret, JSON.stringify(secret), encodeURIComponent(secret)]) {
        const shown = hide(before + spelling + after);
        expect(shown).not.toContain(secret.trim());
        expect(hide((before + spelling + after).slice(0, length))).not.toContain(
          secret.trim().slice(0, 8),
        );
      }
    }),
  );
});

test("a megabyte is redacted in seconds, not minutes", () => {
  const text = `${"A".repeat(500_000)}${KEY}${"sk-t%41\\u0041 ".repeat(40_000)}`;
  const startMs = performance.now();
  expect(redact(text)).not.toContain("SECRET123");
  expect(performance.now() - startMs).toBeLessThan(10_000);
});
