import { startInstantServer } from "./instant-server.ts";

/**
 * The instant server as a program of its own: prints its address as one line of JSON, and ends when
 * its stdin ends, so that it never outlives the program that started it.
 */
const server = await startInstantServer(Number(process.argv[2] ?? 0));
console.log(JSON.stringify({ url: server.url }));
process.stdin.resume();
process.stdin.once("end", () => process.exit(0));
