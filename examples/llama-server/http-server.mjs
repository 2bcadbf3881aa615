// @ts-check
import { createServer } from "node:http";
import { answer } from "./answer.mjs";
import { ApiError } from "./api-error.mjs";
import { readRequest } from "./read-request.mjs";
import { events, sendJson } from "./sender.mjs";

/** @typedef {import("node:http").IncomingMessage} IncomingMessage */
/** @typedef {import("node:http").ServerResponse} ServerResponse */
/** @typedef {import("./engine.mjs").Engine} Engine */

/**
 * @typedef {object} Route
 * @property {"GET" | "POST"} method
 * @property {(engine: Engine, body: string, response: ServerResponse) => void | Promise<void>} serve
 */

const MOST_BODY_BYTES = 16 * 2 ** 20;
/** Longer than a client is likely to pause: a connection that closes under a request is lost time. */
const KEEP_ALIVE_MS = 60_000;

/** @type {ReadonlyMap<string, Route>} */
const ROUTES = new Map([
  ["/health", { method: "GET", serve: serveHealth }],
  ["/v1/models", { method: "GET", serve: serveModels }],
  ["/v1/chat/completions", { method: "POST", serve: completionsOf("chat") }],
  ["/v1/completions", { method: "POST", serve: completionsOf("text") }],
]);

/**
 * The OpenAI-compatible server, not yet listening.
 *
 * @param {Engine} engine
 */
export function httpServer(engine) {
  const server = createServer((request, response) => {
    response.setHeader("server", `llama.cpp/${engine.version}`);
    serve(engine, request, response).catch((error) => sendError(response, error));
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  return server;
}

/**
 * @param {Engine} engine
 * @param {IncomingMessage} request
 * @param {ServerResponse} response
 */
async function serve(engine, request, response) {
  const { method = "", url = "" } = request;
  const [path = ""] = url.split("?");
  const route = ROUTES.get(path);
  if (route === undefined) {
    throw new ApiError(404, `There is no ${path} here: try ${[...ROUTES.keys()].join(", ")}.`);
  }
  if (method !== route.method) {
    const headers = { allow: route.method };
    throw new ApiError(405, `${path} takes ${route.method}, not ${method}.`, { headers });
  }
  await route.serve(engine, await bodyOf(request), response);
}

/** @param {IncomingMessage} request */
async function bodyOf(request) {
  /** @type {Buffer[]} */
  const pieces = [];
  let length = 0;
  for await (const piece of request) {
    length += piece.length;
    if (length > MOST_BODY_BYTES) {
      const headers = { connection: "close" };
      throw new ApiError(413, `The body has more than ${MOST_BODY_BYTES} bytes.`, { headers });
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

/**
 * @param {Engine} engine
 * @param {string} _body
 * @param {ServerResponse} response
 */
function serveHealth(engine, _body, response) {
  sendJson(response, 200, { status: "ok", ...engine.status() });
}

/**
 * @param {Engine} engine
 * @param {string} _body
 * @param {ServerResponse} response
 */
function serveModels({ modelName, contextTokens }, _body, response) {
  const model = {
    id: modelName,
    object: "model",
    owned_by: "llamacpp",
    max_model_len: contextTokens,
  };
  sendJson(response, 200, { object: "list", data: [model] });
}

/**
 * @param {"chat" | "text"} kind
 * @returns {Route["serve"]}
 */
function completionsOf(kind) {
  return (engine, body, response) => answer(engine, kind, readRequest(kind, body), response);
}

/**
 * @param {ServerResponse} response
 * @param {unknown} error
 */
function sendError(response, error) {
  if (response.destroyed) return;
  const known =
    error instanceof ApiError ? error : new ApiError(500, `The engine failed: ${error}`);
  if (response.headersSent) response.end(events([known]));
  else sendJson(response, known.status, known, known.headers);
}
