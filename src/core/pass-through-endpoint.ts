/** The endpoints that pass a body on as it is, by the names the catalog gives them. */
export const passThroughEndpoints = [
  'embeddings',
  'rerank',
  'moderations',
  'images',
  'speech',
  'transcriptions',
] as const;

export type PassThroughEndpoint = (typeof passThroughEndpoints)[number];

/** What may have a price besides tokens: an image made, a second heard, a character spoken, a request. */
export const units = ['image', 'second', 'character', 'request'] as const;

export type Unit = (typeof units)[number];

const prefix = 'unit:';

/** Units are kept and charged beside the uses of a provider's own tools, under names that no tool can have. */
export function unitName(unit: Unit): string {
  return prefix + unit;
}

/** The unit such a name stands for; nothing for the name of a tool. */
export function unitNamed(name: string): string | undefined {
  return name.startsWith(prefix) ? name.slice(prefix.length) : undefined;
}
