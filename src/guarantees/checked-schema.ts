/** A JSON Schema that was found harmless, ready to have values held against it. */
export interface CheckedSchema {
  /** Judges the text of a value. Rejects only where nobody could judge it. */
  readonly fit: (text: string) => Promise<Fitting>;
}

/** What came of holding a value against its schema. */
export interface Fitting {
  /** What is wrong with the value as it was written, in words for a model and a person; nothing if it fits. */
  readonly words: string | undefined;
  /** JSON that fits: the text itself, or what it surely meant; nothing where that is not certain. */
  readonly json: string | undefined;
}
