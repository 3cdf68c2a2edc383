// oxlint-disable-next-line import/no-named-as-default -- its types declare the default export
import PDFDocument from 'pdfkit';
import type { BillingDocument } from '../billing-document.ts';
import type { Language } from 'chat-formats/reasons/text.ts';
import { FontParts, printable } from './font-parts.ts';
import { type PrintedDocument, printedDocument, type PrintedParty, type PrintedRow } from './printed-document.ts';
import { textLines } from './text-lines.ts';

/** Renders a document as a PDF on A4 pages, with its fonts. */
export async function renderPdf(document: BillingDocument, language: Language): Promise<Buffer> {
  const printed = printedDocument(document, language);
  const pdf = new PDFDocument({
    size: 'A4',
    margin: 0,
    font: null,
    bufferPages: true,
    lang: language === 'zh' ? 'zh-CN' : 'en',
    info: { Title: `${printed.title} ${printed.number}`, CreationDate: new Date(printed.issuedAt) },
  });
  const chunks: Buffer[] = [];
  pdf.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<void>((resolve, reject) => {
    pdf.on('end', resolve);
    pdf.on('error', reject);
  });
  new PageWriter(pdf, await FontParts.load(pdf, textsOf(printed))).write(printed);
  pdf.end();
  await ended;
  return Buffer.concat(chunks);
}

/** Every text, for the fonts. */
function textsOf({ page, ...printed }: PrintedDocument): readonly string[] {
  return [JSON.stringify(printed), page(0, 123_456_789)];
}

const margin = 56;
/** The lowest line of a table. Page numbers are below. */
const bottom = 770;
const ink = '#1a1b1e';
const pale = '#6b7280';
const rule = '#d5d8dd';
const lineHeight = 1.45;
/** Of a stroke around letters, in font sizes: the font has one weight. */
const strongStroke = 0.022;

interface TextLook {
  readonly size?: number;
  readonly color?: string;
  readonly isStrong?: boolean;
  readonly align?: 'left' | 'right';
  readonly width?: number;
}

/** Writes from the top of the page to the bottom. `#y` is the top of the next line. */
class PageWriter {
  readonly #pdf: PDFDocument;
  readonly #fonts: FontParts;
  readonly #right: number;
  #y = margin;

  constructor(pdf: PDFDocument, fonts: FontParts) {
    this.#pdf = pdf;
    this.#fonts = fonts;
    this.#right = pdf.page.width - margin;
  }

  write(printed: PrintedDocument): void {
    this.#y += this.#text(printed.title, margin, this.#y, { size: 22, isStrong: true }) + 14;
    this.#facts(printed);
    this.#parties(printed.parties);
    this.#header(printed.columns);
    for (const row of printed.rows) this.#row(row, printed.columns);
    this.#y += 10;
    for (const row of printed.totals) this.#row(row, printed.columns, margin + this.#width / 2);
    this.#y += 18;
    for (const note of printed.notes) this.#paragraph(note, { size: 9, color: pale });
    this.#pageNumbers(printed);
  }

  get #width(): number {
    return this.#right - margin;
  }

  #facts({ facts }: PrintedDocument): void {
    for (const { label, value } of facts) {
      this.#text(label, margin, this.#y, { color: pale });
      this.#y += this.#text(value, margin + 100, this.#y, { width: this.#width - 100 });
    }
    this.#y += 20;
  }

  #parties(parties: readonly PrintedParty[]): void {
    const width = this.#width / 2 - 12;
    const ends = parties.map(({ label, name, lines }, column) => {
      const x = margin + column * (this.#width / 2);
      let y = this.#y + this.#text(label, x, this.#y, { size: 9, color: pale, width }) + 2;
      y += this.#text(name, x, y, { isStrong: true, width });
      for (const line of lines) y += this.#text(line, x, y, { width });
      return y;
    });
    this.#y = Math.max(this.#y, ...ends) + 26;
  }

  #header([description, amount]: PrintedDocument['columns']): void {
    this.#text(description, margin, this.#y, { size: 9, color: pale });
    this.#y += this.#text(amount, margin, this.#y, { size: 9, color: pale, align: 'right', width: this.#width }) + 3;
    this.#rule();
  }

  #row({ label, amount, look }: PrintedRow, columns: PrintedDocument['columns'], from = margin): void {
    const isStrong = look === 'strong';
    const indent = look === 'inner' ? 14 : 0;
    const color = look === 'inner' ? pale : ink;
    const amountWidth = this.#measure(amount, 10);
    const width = this.#right - from - indent - amountWidth - 16;
    const height = this.#lines(label, width, 10).length * 10 * lineHeight + 7;
    if (this.#y + height > bottom) {
      this.#nextPage();
      this.#header(columns);
    }
    this.#text(label, from + indent, this.#y + 4, { isStrong, color, width });
    this.#text(amount, from, this.#y + 4, { isStrong, color, align: 'right', width: this.#right - from });
    this.#y += height;
    this.#rule(from);
  }

  #paragraph(text: string, look: TextLook): void {
    const size = look.size ?? 10;
    if (this.#y + this.#lines(text, this.#width, size).length * size * lineHeight > bottom) this.#nextPage();
    this.#y += this.#text(text, margin, this.#y, { ...look, width: this.#width }) + 4;
  }

  #nextPage(): void {
    this.#pdf.addPage();
    this.#y = margin;
  }

  #rule(from = margin): void {
    this.#pdf.lineWidth(0.6).strokeColor(rule).moveTo(from, this.#y).lineTo(this.#right, this.#y).stroke();
  }

  #pageNumbers({ page, number }: PrintedDocument): void {
    const { count } = this.#pdf.bufferedPageRange();
    const y = this.#pdf.page.height - margin + 8;
    const look = { size: 8, color: pale, width: this.#width };
    for (let index = 0; index < count; index += 1) {
      this.#pdf.switchToPage(index);
      this.#text(number, margin, y, look);
      this.#text(page(index + 1, count), margin, y, { ...look, align: 'right' });
    }
  }

  /** Draws a text below `y` and returns its height. */
  #text(text: string, x: number, y: number, look: TextLook = {}): number {
    const { size = 10, color = ink, isStrong = false, align = 'left', width = this.#width } = look;
    const lines = this.#lines(text, width, size);
    this.#pdf.fillColor(color);
    if (isStrong) this.#pdf.strokeColor(color).lineWidth(size * strongStroke);
    for (const [index, line] of lines.entries()) {
      const start = align === 'right' ? x + width - this.#measure(line, size) : x;
      this.#line(line, start, y + size * (1 + index * lineHeight), { size, isStrong });
    }
    return lines.length * size * lineHeight;
  }

  #line(text: string, x: number, baseline: number, { size, isStrong }: { size: number; isStrong: boolean }): void {
    let at = x;
    for (const run of this.#fonts.runs(text)) {
      this.#pdf.font(run.font).fontSize(size);
      const options = { lineBreak: false, baseline: 'alphabetic', fill: true, stroke: isStrong } as const;
      this.#pdf.text(run.text, at, baseline, options);
      at += this.#pdf.widthOfString(run.text);
    }
  }

  #lines(text: string, width: number, size: number): readonly string[] {
    return textLines(printable(text), width, (part) => this.#measure(part, size));
  }

  #measure(text: string, size: number): number {
    const widths = this.#fonts.runs(text).map((run) => this.#pdf.font(run.font).fontSize(size).widthOfString(run.text));
    return widths.reduce((sum, width) => sum + width, 0);
  }
}
