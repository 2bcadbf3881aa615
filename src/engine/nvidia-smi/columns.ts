import { SmiRefusal } from "./refusal.ts";

/** One column of an answer. */
export interface Column {
  readonly field: string;
  /** As the header shows it, with its unit: `power.draw [W]`. */
  readonly heading: string;
  readonly unit: string;
}

/** What decides whether a field may be asked, and what it is called. */
export interface FieldKnowledge {
  /** The name under which a field is printed, whichever of its names was asked. */
  canonical(asked: string): string;
  isKnown(field: string): boolean;
  unitOf(field: string): string;
  /** Names as asked, or prefixes that end in `*`. */
  readonly refused: readonly string[];
}

/**
 * The columns asked for, in their order.
 *
 * @throws {SmiRefusal} at the first field that is unknown or refused: then nothing is answered.
 */
export function resolveColumns(asked: readonly string[], knowledge: FieldKnowledge): Column[] {
  return asked.map((name) => {
    const field = knowledge.canonical(name);
    if (!knowledge.isKnown(field) || isRefused(name, knowledge.refused)) {
      throw new SmiRefusal(2, `Field "${name}" is not a valid field to query.\n\n`);
    }
    // A driver that does not know the new name cannot print it either.
    const shown = isRefused(field, knowledge.refused) ? name : field;
    const unit = knowledge.unitOf(field);
    return { field, unit, heading: unit === "" ? shown : `${shown} [${unit}]` };
  });
}

/** The header line of an answer. */
export function headerLine(columns: readonly Column[]): string {
  return columns.map((column) => column.heading).join(", ");
}

/** A cell with its unit put behind its number, or taken away; texts such as `[N/A]` stay. */
export function withUnit(cell: string, unit: string, isWanted: boolean): string {
  if (unit === "") return cell;
  const bare = cell.endsWith(` ${unit}`) ? cell.slice(0, -unit.length - 1) : cell;
  if (!isWanted) return bare;
  return /^-?\d+(\.\d+)?$/.test(bare) ? `${bare} ${unit}` : cell;
}

function isRefused(name: string, refused: readonly string[]): boolean {
  return refused.some((entry) =>
    entry.endsWith("*") ? name.startsWith(entry.slice(0, -1)) : name === entry,
  );
}
