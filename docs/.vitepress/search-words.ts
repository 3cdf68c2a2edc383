/** Chinese has no spaces: a run of its characters is indexed and searched as pairs, so that any two in a row are found. */
export function wordsOf(text: string): string[] {
  return text
    .split(/[\p{Z}\p{P}\s]+/u)
    .flatMap((word) => word.match(/\p{Script=Han}+|\P{Script=Han}+/gu)?.flatMap(pairsOf) ?? []);
}

function pairsOf(run: string): readonly string[] {
  const characters = Array.from(run);
  if (characters.length < 2 || !/\p{Script=Han}/u.test(run)) return [run];
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

export const searchWords = { options: { tokenize: wordsOf } };
