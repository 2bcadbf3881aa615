import type { ServerResponse } from "node:http";
import type { ApiError } from "./api-error.ts";

/** Answers with a text that is JSON, or is to look like it. */
export function sendJson(
  response: ServerResponse,
  status: number,
  json: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  send(response, status, "application/json", json, headers);
}

export function sendText(response: ServerResponse, contentType: string, text: string): void {
  send(response, 200, contentType, text, {});
}

/** Answers with an error envelope, unless the answer has begun. */
export function sendError(response: ServerResponse, error: ApiError): void {
  if (response.headersSent) response.req.socket.destroy();
  else sendJson(response, error.status, JSON.stringify(error), error.headers);
}

function send(
  response: ServerResponse,
  status: number,
  contentType: string,
  text: string,
  headers: Readonly<Record<string, string>>,
): void {
  const bytes = Buffer.from(text);
  response.writeHead(status, {
    "content-type": contentType,
    "content-length": bytes.length,
    ...headers,
  });
  response.end(bytes);
}
