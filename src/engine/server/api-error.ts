/** An answer that is an error, in the envelope that OpenAI's clients know. */
export class ApiError extends Error {
  readonly status: number;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | null;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, details: ApiErrorDetails = {}) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.type = details.type ?? typeFor(status);
    this.param = details.param ?? null;
    this.code = details.code ?? null;
    this.headers = details.headers ?? {};
  }

  /** As it stands in a reply's body, and in an event of a stream. */
  toJSON(): { readonly error: object } {
    const { message, type, param, code } = this;
    return { error: { message, type, param, code } };
  }
}

export interface ApiErrorDetails {
  readonly type?: string;
  /** The field of the request that is wrong. */
  readonly param?: string;
  readonly code?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function typeFor(status: number): string {
  if (status === 401) return "authentication_error";
  if (status === 429) return "rate_limit_error";
  return status >= 500 ? "server_error" : "invalid_request_error";
}
