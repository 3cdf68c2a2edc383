/** A JSON Schema that is safe to use, ready to validate values. */
export interface CheckedSchema {
  /** Validates the text of a value. Rejects only if validation is impossible. */
  readonly validate: (text: string) => Promise<ValidationResult>;
}

export interface ValidationResult {
  /** The error in the value as written, as text for a model and a person. Undefined if the value fits. */
  readonly words: string | undefined;
  /** JSON that fits: the text itself, or its certain repair. Undefined if no repair is certain. */
  readonly json: string | undefined;
}
