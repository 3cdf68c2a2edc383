/** The part of the package that is used here. The package has no types of its own. */
declare module 'wawoff2' {
  /** Returns the font uncompressed. */
  export function decompress(font: Uint8Array): Promise<Uint8Array>;
}
