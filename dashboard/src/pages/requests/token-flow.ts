/** Tokens on their way in and out; one dash where nobody counted any. */
export function tokenFlow(prompt: number | null, completion: number | null, shown: (count: number) => string): string {
  if (prompt === null && completion === null) return '–';
  const [taken, given] = [prompt, completion].map((count) => (count === null ? '–' : shown(count)));
  return `${taken} → ${given}`;
}
