/** Characters between which a line may break without a space. */
const breakable = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uff60]/u;

/** Breaks a text into lines of at most `width`: at spaces, between Chinese characters, or within a longer word. */
export function textLines(text: string, width: number, measure: (text: string) => number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  const add = (piece: string): void => {
    if (measure(line + piece.trimEnd()) <= width) {
      line += piece;
      return;
    }
    if (line.trimEnd() !== '') lines.push(line.trimEnd());
    line = '';
    const characters = Array.from(piece);
    if (characters.length > 1 && measure(piece.trimEnd()) > width) for (const each of characters) add(each);
    else line = piece.trimStart();
  };
  for (const piece of pieces(text)) add(piece);
  if (line.trimEnd() !== '') lines.push(line.trimEnd());
  return lines;
}

/** Words with the space after them, and single Chinese characters. */
function pieces(text: string): readonly string[] {
  const found: string[] = [];
  let word = '';
  for (const character of text) {
    if (breakable.test(character)) {
      if (word !== '') found.push(word);
      found.push(character);
      word = '';
    } else {
      word += character;
      if (character === ' ') {
        found.push(word);
        word = '';
      }
    }
  }
  return word === '' ? found : [...found, word];
}
