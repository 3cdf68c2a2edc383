/** Prompt and completion tokens. A single dash if neither was counted. */
export function tokenFlow(prompt: number | null, completion: number | null, shown: (count: number) => string): string {
  if (prompt === null && completion === null) return '–';
  const [input, output] = [prompt, completion].map((count) => (count === null ? '–' : shown(count)));
  return `${input} → ${output}`;
}
