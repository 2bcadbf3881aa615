/** A thread that does what a load thread at its limit does: takes chunks apart, without a pause. */
import { takeChunksApart } from "./take-chunks-apart.ts";

function goOn(): void {
  takeChunksApart(20);
  setImmediate(goOn);
}
goOn();
