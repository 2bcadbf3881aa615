// @ts-check

/** A request that cannot be served, in the words and with the status of an OpenAI-like API. */
export class ApiError extends Error {
  /**
   * @param {number} status
   * @param {string} message
   * @param {{ type?: string; code?: string; param?: string; headers?: Record<string, string> }} [details]
   */
  constructor(status, message, details = {}) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.headers = details.headers ?? {};
    this.type = details.type ?? (status < 500 ? "invalid_request_error" : "server_error");
    this.code = details.code ?? null;
    this.param = details.param ?? null;
  }

  /** The body of the reply. */
  toJSON() {
    const { message, type, param, code } = this;
    return { error: { message, type, param, code } };
  }
}
