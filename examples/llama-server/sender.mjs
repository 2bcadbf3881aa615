// @ts-check

/** @typedef {import("node:http").ServerResponse} ServerResponse */
/** @typedef {import("./llama-node.mjs").LlamaTimings} LlamaTimings */
/** @typedef {import("./reply.mjs").FinishReason} FinishReason */
/** @typedef {import("./reply.mjs").Reply} Reply */

/**
 * Sends what is generated. Nothing is sent before there is something, so that until then a failure
 * still has a status of its own.
 *
 * @typedef {object} Sender
 * @property {(text: string) => void} text - an empty one is left out.
 * @property {(finishReason: FinishReason, timings: LlamaTimings) => void} end
 */

/**
 * @param {ServerResponse} response
 * @param {Reply} reply
 * @param {{ isStream: boolean; includeUsage: boolean }} request
 * @returns {Sender}
 */
export function senderFor(response, reply, { isStream, includeUsage }) {
  return isStream ? streamSender(response, reply, includeUsage) : wholeSender(response, reply);
}

/**
 * @param {ServerResponse} response
 * @param {Reply} reply
 * @param {boolean} includeUsage
 * @returns {Sender}
 */
function streamSender(response, reply, includeUsage) {
  /** @type {(objects: readonly object[]) => void} */
  const send = (objects) => {
    const isFirst = !response.headersSent;
    if (isFirst) {
      response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    }
    response.write(events(isFirst ? [...reply.opening(), ...objects] : objects));
  };
  return {
    text: (text) => {
      if (text !== "") send([reply.piece(text)]);
    },
    end: (finishReason, timings) => {
      send(reply.closing(finishReason, timings, includeUsage));
      response.end("data: [DONE]\n\n");
    },
  };
}

/**
 * @param {ServerResponse} response
 * @param {Reply} reply
 * @returns {Sender}
 */
function wholeSender(response, reply) {
  let whole = "";
  return {
    text: (text) => {
      whole += text;
    },
    end: (finishReason, timings) => {
      sendJson(response, 200, reply.whole(whole, finishReason, timings));
    },
  };
}

/**
 * @param {ServerResponse} response
 * @param {number} status
 * @param {object} body
 * @param {Record<string, string>} [headers]
 */
export function sendJson(response, status, body, headers = {}) {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

/** @param {readonly object[]} objects */
export function events(objects) {
  return objects.map((object) => `data: ${JSON.stringify(object)}\n\n`).join("");
}
