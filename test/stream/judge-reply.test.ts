import { describe, expect, test } from "vitest";
import { parseHead, type ResponseHead } from "../../src/stream/http-head.ts";
import { judgeReply, type ReplyEvidence } from "../../src/stream/judge-reply.ts";
import { ReplyReading } from "../../src/stream/read-reply.ts";
import type { Fault } from "../../src/stream/request-outcome.ts";

const head = parseHead(["HTTP/1.1 200 OK", "content-type: text/event-stream"]) as ResponseHead;
const reset: Fault = { errorKind: "connection_reset", message: "broke" };

function judge(change: (reading: ReplyReading) => void, more: Partial<ReplyEvidence> = {}) {
  const reading = new ReplyReading();
  reading.chunkCount = 1;
  reading.tokenAtMs.push(1);
  change(reading);
  return judgeReply({ head, form: "events", reading, body: "", fault: null, ...more })?.errorKind;
}

function done(reading: ReplyReading): void {
  reading.isDone = true;
}

describe("judgeReply", () => {
  test("R7: something generated and a sign of the end is success", () => {
    expect(judge(() => {})).toBe("truncated");
    expect(judge(done)).toBeUndefined();
  });

  test("R10: what befalls the connection behind [DONE] takes nothing away", () => {
    expect(judge(done, { fault: reset })).toBeUndefined();
    expect(judge(() => {}, { fault: reset })).toBe("connection_reset");
  });

  test("R8: what the server said goes before what befell the connection", () => {
    const failure: Fault = { errorKind: "stream_error", message: "m" };
    const fail = (reading: ReplyReading): void => {
      reading.failure = failure;
    };
    expect(judge(fail, { fault: reset })).toBe("stream_error");
  });

  test("a status that is none of success goes before all that its body may hold", () => {
    const refusal = parseHead(["HTTP/1.1 500 X"]) as ResponseHead;
    expect(judge(done, { head: refusal })).toBe("http_status");
    expect(judge(() => {}, { head: refusal, fault: reset })).toBe("http_status");
  });

  test("without a head there is only what befell the connection", () => {
    expect(judge(() => {}, { head: undefined, fault: reset })).toBe("connection_reset");
  });
});
