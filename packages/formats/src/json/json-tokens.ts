/*
 * Reads the tokens of a JSON text that is complete. These functions are apart from the scanner for speed: most of a body
 * is long strings, and `indexOf` finds their ends several times faster than a loop that can pause anywhere.
 */

/** The index of the closing quote of a string, given the index after its opening quote; -1 if there is none. */
export function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from);
  while (at >= 0 && isEscaped(text, at)) at = text.indexOf('"', at + 1);
  return at;
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text.charCodeAt(first - 1) === backslash) first--;
  return (at - first) % 2 === 1;
}

/** The end of the token that begins at an index: a string, a number, a word, or one other character. */
export function tokenEnd(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === quote) {
    const end = closingQuote(text, start + 1);
    return end < 0 ? text.length : end + 1;
  }
  let at = start + 1;
  if (isDelimiter[first] !== 1) while (at < text.length && isDelimiter[text.charCodeAt(at)] !== 1) at++;
  return at;
}

/** The index of the next token: blanks, commas and colons are skipped. */
export function tokenStart(text: string, from: number): number {
  let at = from;
  while (at < text.length && isSeparator[text.charCodeAt(at)] === 1) at++;
  return at;
}

/** Whether the string token is a member name, which is followed by a colon. */
export function isMemberName(text: string, end: number): boolean {
  let at = end;
  while (at < text.length && isBlank[text.charCodeAt(at)] === 1) at++;
  return text.charCodeAt(at) === colon;
}

const quote = 0x22;
const colon = 0x3a;
const backslash = 0x5c;

/** Lookup tables by character code. */
const isBlank = codeTable(' \t\n\r');
const isSeparator = codeTable(' \t\n\r,:');
const isDelimiter = codeTable(' \t\n\r,:"[]{}');

function codeTable(members: string): Uint8Array {
  const table = new Uint8Array(128);
  // No `Buffer`: the dashboard's invoice page reads JSON with this file too.
  for (let at = 0; at < members.length; at++) table[members.charCodeAt(at)] = 1;
  return table;
}
