/** Records are written in batches, shortly after the answer has ended. */
const freshMs = 30_000;

/** Whether a request is so recent that its record may not be written yet. Ids start with a timestamp. */
export function isFresh(id: string, now: number): boolean {
  const [, ...parts] = /^(?:[a-z]+[-_])?(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d{3})/.exec(id) ?? [];
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0, millisecond = 0] = parts.map(Number);
  return parts.length > 0 && now - Date.UTC(year, month - 1, day, hour, minute, second, millisecond) < freshMs;
}
