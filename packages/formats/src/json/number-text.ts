import { fileLimits, foreignJson } from './foreign-json.ts';

/** A number of a JSON document as it was written. */
export class NumberText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Parses JSON and keeps the text of every number. `undefined`: the text is not JSON. */
export function jsonWithNumberTexts(text: string): unknown {
  const keepNumbers = (_name: string, value: unknown, context?: { readonly source?: string }): unknown =>
    typeof value === 'number' ? new NumberText(context?.source ?? '') : value;
  return foreignJson(text, fileLimits, keepNumbers);
}
