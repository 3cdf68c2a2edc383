import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type PDFDocument from 'pdfkit';
import decompress from 'wawoff2/decompress.js';

/** Replaces characters that the font does not have. */
const replacement = '□';
/** Letters that Unicode does not decompose into a letter and a mark. */
const plainLetters: Readonly<Record<string, string>> = {
  Ł: 'L',
  ł: 'l',
  Đ: 'D',
  đ: 'd',
  Ħ: 'H',
  ħ: 'h',
  ı: 'i',
  ŧ: 't',
};
const weight = 400;

/**
 * The font of documents: Noto Sans SC, with Latin, Cyrillic, Vietnamese, Chinese and Japanese characters. It
 * comes in about a hundred parts, of which a document loads only those that it needs. Each becomes a font of the
 * document that has only its glyphs.
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
    const list = JSON.parse(await readFile(join(folder(), 'unicode.json'), 'utf8')) as Readonly<Record<string, string>>;
    const parts = new FontParts(pdf, partRanges(list));
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
    const file = join(folder(), 'files', `noto-sans-sc-${part}-${weight}-normal.woff2`);
    this.#pdf.registerFont(part, Buffer.from(await decompress(await readFile(file))));
    this.#loaded.add(part);
  }
}

interface FontRun {
  readonly font: string;
  readonly text: string;
}

interface PartRange {
  readonly part: string;
  readonly first: number;
  readonly last: number;
}

/** The letter without its mark: `z` for `ź`. */
function plain(character: string): string {
  return plainLetters[character] ?? String.fromCodePoint(character.normalize('NFD').codePointAt(0) ?? 0);
}

/** A text without characters that draw nothing, or that change the direction of others. */
export function printable(text: string): string {
  return text
    .normalize('NFC')
    .replaceAll(/[\p{Zs}\t\r\n]+/gu, ' ')
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, '');
}

/** The fonts of the build, or those of the installed package. */
function folder(): string {
  // The bundler puts this code into the folder of the thread, or into `shared`.
  const built = ['fonts', '../documents/pdf/fonts'].map((path) => join(import.meta.dirname, path)).find(existsSync);
  if (built !== undefined) return built;
  return dirname(dirname(fileURLToPath(import.meta.resolve('@fontsource/noto-sans-sc/files/any'))));
}

/** The ranges of all parts. The named parts, such as `latin`, come before the numbered ones. */
function partRanges(list: Readonly<Record<string, string>>): readonly PartRange[] {
  const parts = Object.entries(list).map(([name, ranges]) => ({ part: name.replaceAll(/[[\]]/g, ''), ranges }));
  const isNumbered = ({ part }: { readonly part: string }): boolean => /^\d+$/.test(part);
  const sorted = parts.toSorted((one, other) => Number(isNumbered(one)) - Number(isNumbered(other)));
  return sorted.flatMap(({ part, ranges }) =>
    ranges.split(',').map((range) => {
      const [first = '', last = first] = range.trim().slice('U+'.length).split('-');
      return { part, first: Number.parseInt(first, 16), last: Number.parseInt(last, 16) };
    }),
  );
}
