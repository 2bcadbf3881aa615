import { fileURLToPath } from "node:url";
import type { Peer, PeerReport } from "./peer.ts";

const CLIENT = fileURLToPath(new URL("./joulemark-client.js", import.meta.url));

/** joulemark's own client, with one load thread. */
export const joulemark: Peer = {
  name: "joulemark",
  remarks: [],
  command: (one) => ({ program: process.execPath, args: [CLIENT, JSON.stringify(one)] }),
  report: (_, stdout) => JSON.parse(stdout) as PeerReport,
};
