import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type PDFDocument from 'pdfkit';
import decompress from 'wawoff2/decompress.js';
import { ownJson } from 'chat-formats/json/own-json.ts';

/** Replaces characters that the font does not have. */
const replacement = '□';
const weight = 400;
/** The second one has the letters and marks of European languages that the first one lacks. */
const families = ['noto-sans-sc', 'noto-sans'] as const;

/**
 * The fonts of documents: Noto Sans SC for Chinese and Japanese, and Noto Sans for the Latin, Greek and Cyrillic letters
 * that it lacks. They come in about a hundred parts, of which a document loads only those that it needs. Each becomes a
 * font of the document that has only its glyphs.
 */
export class FontParts {
  readonly #pdf: PDFDocument;
  readonly #ranges: readonly PartRange[];
  /** The part that has each character of the document. */
  readonly #partOf = new Map<string, string>();
  readonly #loaded = new Set<string>();

  private constructor(pdf: PDFDocument, ranges: readonly PartRange[]) {
    this.#pdf = pdf;
    this.#ranges = ranges;
  }

  /** Loads the parts for all characters of these texts. Others must not be drawn. */
  static async load(pdf: PDFDocument, texts: readonly string[]): Promise<FontParts> {
    const parts = new FontParts(pdf, (await Promise.all(families.map(partRanges))).flat());
    for (const character of new Set(Array.from(replacement + texts.map(printable).join('')))) {
      await parts.#find(character);
      if (!parts.#partOf.has(character)) await parts.#find(plain(character));
    }
    return parts;
  }

  /**
   * The text in runs of one font each. A letter that the font does not have is drawn without its mark, any other
   * character as a box. Marks that it does not have are left out.
   */
  runs(text: string): readonly FontRun[] {
    const runs: { font: string; text: string }[] = [];
    for (const character of printable(text)) {
      const shown = [character, plain(character), replacement].find((each) => this.#partOf.has(each)) ?? '';
      if (shown === replacement && /\p{M}/u.test(character)) continue;
      const font = this.#partOf.get(shown) ?? '';
      const last = runs.at(-1);
      if (last?.font === font) last.text += shown;
      else runs.push({ font, text: shown });
    }
    return runs;
  }

  async #find(character: string): Promise<void> {
    const code = character.codePointAt(0) ?? 0;
    const candidates = this.#ranges.filter(({ first, last }) => first <= code && code <= last);
    for (const { part } of candidates) {
      await this.#load(part);
      if (!this.#pdf.font(part)._font.font.hasGlyphForCodePoint(code)) continue;
      this.#partOf.set(character, part);
      return;
    }
  }

  async #load(part: string): Promise<void> {
    if (this.#loaded.has(part)) return;
    this.#pdf.registerFont(part, Buffer.from(await decompress(await readFile(part))));
    this.#loaded.add(part);
  }
}

interface FontRun {
  readonly font: string;
  readonly text: string;
}

interface PartRange {
  /** Its file, which is also its name in the document. */
  readonly part: string;
  readonly first: number;
  readonly last: number;
}

/** The letter without its mark: `z` for `ź`. */
function plain(character: string): string {
  return String.fromCodePoint(character.normalize('NFD').codePointAt(0) ?? 0);
}

/** A text without characters that draw nothing, or that change the direction of others. */
export function printable(text: string): string {
  return text
    .normalize('NFC')
    .replaceAll(/[\p{Zs}\t\r\n]+/gu, ' ')
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, '');
}

/** The font of the build, or of the installed package. */
function folderOf(family: (typeof families)[number]): string {
  // The bundler puts this code into the folder of the thread, or into `shared`.
  const built = ['fonts', '../money/documents/pdf/fonts']
    .map((path) => join(import.meta.dirname, path))
    .find(existsSync);
  if (built !== undefined) return join(built, family);
  return dirname(dirname(fileURLToPath(import.meta.resolve(`@fontsource/${family}/files/any`))));
}

/** The ranges of all parts of a font. The named parts, such as `latin`, come before the numbered ones. */
async function partRanges(family: (typeof families)[number]): Promise<readonly PartRange[]> {
  const folder = folderOf(family);
  const list = ownJson(await readFile(join(folder, 'unicode.json'), 'utf8')) as Readonly<Record<string, string>>;
  const parts = Object.entries(list).map(([name, ranges]) => ({ name: name.replaceAll(/[[\]]/g, ''), ranges }));
  const isNumbered = ({ name }: { readonly name: string }): boolean => /^\d+$/.test(name);
  const sorted = parts.toSorted((one, other) => Number(isNumbered(one)) - Number(isNumbered(other)));
  return sorted.flatMap(({ name, ranges }) =>
    ranges.split(',').map((range) => {
      const [first = '', last = first] = range.trim().slice('U+'.length).split('-');
      const part = join(folder, 'files', `${family}-${name}-${weight}-normal.woff2`);
      return { part, first: Number.parseInt(first, 16), last: Number.parseInt(last, 16) };
    }),
  );
}
