import { JoulemarkError } from "../../errors.ts";

/** Why a server cannot listen, as far as another port would help; else the cause itself. */
export function listenProblem(cause: unknown, host: string, port: number): unknown {
  const { code } = cause as NodeJS.ErrnoException;
  if (code !== "EADDRINUSE" && code !== "EACCES") return cause;
  const why = code === "EACCES" ? "needs more rights" : "is taken";
  const problem = `port ${port} of ${host} ${why}; give another one, or 0 for any that is free`;
  return new JoulemarkError("bad_option", problem, { cause });
}
