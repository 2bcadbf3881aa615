import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";

const SCHEMA = new URL("../../../schema/record-1.json", import.meta.url);

const ajv = new Ajv2020({ strict: true, allErrors: true, validateFormats: false });
const validate = ajv.compile(JSON.parse(readFileSync(SCHEMA, "utf8")));

/** Where a record, as it stands in its file, is not as the schema says. */
export function schemaErrors(record: unknown): readonly string[] {
  if (validate(JSON.parse(JSON.stringify(record)))) return [];
  return validate.errors!.map(({ instancePath, message }) => `${instancePath} ${message}`);
}
