/** A prompt that is part of a benchmark's definition. */
export interface CodePrompt {
  /** Changes whenever one character of the text does: another prompt is another benchmark. */
  readonly version: string;
  readonly text: string;
  /** Of the text in UTF-8, in hex. */
  readonly sha256: string;
}

const TEXT = `You are working on a small service that stores the readings of temperature sensors. The module below has grown by copy and paste. It works, but nobody wants to touch it any more: every function parses, checks, stores and formats at once, errors are printed instead of returned, and a sensor that sends nonsense is silently turned into a reading of zero degrees.

Rewrite the module. Requirements:

1. Keep the public names \`ingest_line\`, \`daily_summary\` and \`export_csv\`, so that callers need only small changes.
2. Use dataclasses and type hints throughout. Python 3.11, standard library only.
3. A line that cannot be read must raise a \`ReadingError\` that carries the line number, the offending text and the reason. It must never become a reading.
4. Separate parsing, storage and formatting. Storage is an interface with one in-memory implementation.
5. Summaries must handle days without readings, sensors that report in Fahrenheit, and readings that arrive out of order.
6. Add a complete test module with pytest: ordinary cases, every kind of broken line, two sensors on one day, a day boundary in UTC, and an empty store.
7. Explain each design decision in a short comment directly above the code that it concerns.

Write the complete code of both files, without leaving anything out and without placeholders. Begin with the module, then the tests, then a short migration guide for callers that shows each changed call before and after.

\`\`\`python
# readings.py
import time

data = {}
last_error = None

def ingest_line(line):
    global last_error
    parts = line.strip().split(";")
    if len(parts) < 3:
        print("bad line", line)
        last_error = line
        return
    sensor = parts[0]
    try:
        stamp = int(parts[1])
    except ValueError:
        stamp = int(time.time())
    try:
        value = float(parts[2].replace(",", "."))
    except ValueError:
        value = 0.0
    if len(parts) > 3 and parts[3] == "F":
        value = (value - 32) * 5 / 9
    day = time.strftime("%Y-%m-%d", time.localtime(stamp))
    if day not in data:
        data[day] = {}
    if sensor not in data[day]:
        data[day][sensor] = []
    data[day][sensor].append((stamp, value))

def daily_summary(day):
    out = []
    for sensor in data[day]:
        values = [v for (s, v) in data[day][sensor]]
        low = 1000
        high = -1000
        total = 0
        for v in values:
            if v < low:
                low = v
            if v > high:
                high = v
            total = total + v
        out.append(sensor + ": " + str(low) + " / " + str(high) + " / " + str(total / len(values)))
    return out

def export_csv(path):
    f = open(path, "w")
    for day in data:
        for sensor in data[day]:
            for (stamp, value) in data[day][sensor]:
                f.write(sensor + ";" + str(stamp) + ";" + str(value) + "\\n")
    f.close()
\`\`\`
`;

/** The prompt of the decode-floor benchmark: a long answer of code, as an assistant gives it. */
export const CODE_PROMPT: CodePrompt = {
  version: "code-refactoring-1",
  text: TEXT,
  sha256: "92453ffc092a8b3c4d102ff6069a922a913b58cf118ecb1572f10b2f4146d1c4",
};
