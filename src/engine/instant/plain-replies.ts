import { ApiError } from "../server/api-error.ts";
import { jsonReply } from "./event-bytes.ts";

const MODEL = { id: "instant", object: "model", created: 0, owned_by: "joulemark-engine" };

/** The answer to a question, which is none for text. */
export function lookUp(path: string, seen: object): string {
  if (path.endsWith("/models")) return jsonReply(200, { object: "list", data: [MODEL] });
  if (path === "/seen") return jsonReply(200, seen);
  if (path === "/health") return jsonReply(200, {});
  return notFound(path);
}

export function notFound(path: string): string {
  const shown = path.slice(0, 200);
  return jsonReply(404, new ApiError(404, `There is no ${shown} here.`, { code: "not_found" }));
}

/** What is behind a bad request on its connection may be anything: the connection ends with it. */
export function errorReply(error: Error): string {
  const shown = error instanceof ApiError ? error : new ApiError(400, error.message);
  return jsonReply(shown.status, shown, "connection: close\r\n");
}
