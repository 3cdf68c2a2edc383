/** Formats a JSON log line as text: time, level, message, then the other fields. */
export function textLine(json: string): string {
  const { time, level, msg, ...fields } = JSON.parse(json) as Record<string, unknown>;
  const pairs = Object.entries(fields).map(([name, value]) => `${name}=${valueText(value)}`);
  const head = [new Date(Number(time)).toISOString(), String(level).toUpperCase().padEnd(5), String(msg)];
  return `${[...head, ...pairs].join(' ')}\n`;
}

/** Quotes values with special characters. Line breaks are escaped, so that one line stays one line. */
function valueText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /^[^\s"=\\]+$/.test(text) ? text : JSON.stringify(text);
}
