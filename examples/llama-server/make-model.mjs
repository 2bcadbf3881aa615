#!/usr/bin/env node
// @ts-check
/** `node make-model.mjs FILE.gguf [words|anything]`: writes the tiny model. */
import { writeFileSync } from "node:fs";
import { tinyModel } from "./tiny-model.mjs";

const [file, says = "words"] = process.argv.slice(2);
if (file === undefined || (says !== "words" && says !== "anything")) {
  console.error("usage: node make-model.mjs FILE.gguf [words|anything]");
  process.exit(2);
}
const bytes = tinyModel(says);
writeFileSync(file, bytes);
console.error(`${file}: ${bytes.length} bytes`);
