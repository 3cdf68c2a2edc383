/** Returns the candidate closest to a mistyped word, if one is close enough to suggest. */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  const slack = Math.max(1, Math.floor(word.length / 3));
  const near = candidates
    .map((candidate) => ({ candidate, distance: distance(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter((each) => each.distance <= slack)
    .sort((a, b) => a.distance - b.distance);
  return near[0]?.candidate;
}

/** Suggests the closest candidate. If none is close, lists all candidates, or returns '' if there are more than 30. */
export function suggestion(word: string, candidates: readonly string[]): string {
  const match = closest(word, candidates);
  if (match !== undefined) return `Did you mean \`${match}\`?`;
  if (candidates.length === 0 || candidates.length > listedMax) return '';
  return `Known names: ${candidates.map((candidate) => `\`${candidate}\``).join(', ')}.`;
}

const listedMax = 30;
const wordLengthMax = 64;

/** The number of edits between two words. A swap of two adjacent letters counts as one edit. */
function distance(from: string, to: string): number {
  if (from.length > wordLengthMax || to.length > wordLengthMax) return Number.POSITIVE_INFINITY;
  let [beforeLast, last]: [number[], number[]] = [[], Array.from({ length: to.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1];
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (same ? 0 : 1),
        swapped ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [beforeLast, last] = [last, current];
  }
  return at(last, to.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
