export { JoulemarkError, type JoulemarkErrorCode } from "./errors.ts";
