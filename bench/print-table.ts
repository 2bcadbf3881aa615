/** Prints rows as a table: the first row is the head, columns as wide as their widest cell. */
export function printTable(title: string, rows: readonly (readonly string[])[]): void {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  console.log(`\n${title}`);
  for (const [i, row] of rows.entries()) {
    console.log(
      `  ${row.map((cell, column) => cell.padEnd(widths[column]!)).join("  ")}`.trimEnd(),
    );
    if (i === 0) console.log(`  ${widths.map((width) => "-".repeat(width)).join("  ")}`);
  }
}
