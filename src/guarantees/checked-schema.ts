/** A JSON Schema that was found harmless, ready to be held against values. */
export interface CheckedSchema {
  readonly schema: Readonly<Record<string, unknown>>;
  /** What is wrong with a value, in words for a model and a person; nothing if it fits. */
  readonly misfit: (value: unknown) => string | undefined;
}
