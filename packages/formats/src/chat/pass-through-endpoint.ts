/** The pass-through endpoints, by their names in the catalog. */
export const passThroughEndpoints = [
  'embeddings',
  'rerank',
  'moderations',
  'images',
  'speech',
  'transcriptions',
] as const;

export type PassThroughEndpoint = (typeof passThroughEndpoints)[number];

/** Billable units other than tokens: an image, a second of audio, a character of speech, a request. */
export const units = ['image', 'second', 'character', 'request'] as const;

export type Unit = (typeof units)[number];

const prefix = 'unit:';

/** Units are stored and charged together with tool uses, under names that no tool can have. */
export function unitName(unit: Unit): string {
  return prefix + unit;
}

/** The unit of such a name; undefined for the name of a tool. */
export function unitNamed(name: string): string | undefined {
  return name.startsWith(prefix) ? name.slice(prefix.length) : undefined;
}
