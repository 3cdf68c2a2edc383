/** The parts of these packages that are used here. The packages have no types of their own. */
declare module 'wawoff2/decompress.js' {
  /** Returns the font uncompressed. */
  export default function decompress(font: Uint8Array): Promise<Uint8Array>;
}

declare module 'pdfkit' {
  import type { EventEmitter } from 'node:events';

  interface TextOptions {
    readonly lineBreak: false;
    readonly baseline: 'alphabetic';
    readonly fill?: boolean;
    readonly stroke?: boolean;
  }

  /** A document that emits its bytes as `data`. */
  export default class PDFDocument extends EventEmitter {
    constructor(options?: {
      readonly size: 'A4';
      readonly margin: number;
      /** Null: no standard font, which would be read from a file of the package. */
      readonly font: null;
      readonly bufferPages: boolean;
      readonly lang: string;
      readonly info: Readonly<Record<string, string | Date>>;
    });
    readonly page: { readonly width: number; readonly height: number };
    /** The current font. */
    readonly _font: { readonly font: { hasGlyphForCodePoint(codePoint: number): boolean } };
    registerFont(name: string, font: Uint8Array): this;
    font(name: string): this;
    fontSize(size: number): this;
    widthOfString(text: string): number;
    fillColor(color: string): this;
    strokeColor(color: string): this;
    lineWidth(width: number): this;
    moveTo(x: number, y: number): this;
    lineTo(x: number, y: number): this;
    stroke(): this;
    text(text: string, x: number, y: number, options: TextOptions): this;
    addPage(): this;
    switchToPage(page: number): this;
    bufferedPageRange(): { readonly count: number };
    end(): void;
  }
}
