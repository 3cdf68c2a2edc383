import type { RequestTags } from 'chat-formats/chat/chat-request.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';

/** The header with the tags of a request, separated by commas. */
export const tagsHeader = 'x-gateway-tags';

const tagsMax = 16;
const tagLengthMax = 64;
/** Entries of `metadata` that are looked at: repeated and empty ones are no tags. */
const entriesMax = 64;

interface TagSources {
  readonly header: string | undefined;
  /** `metadata` of the body, whatever its type. */
  readonly metadata: unknown;
}

/**
 * The tags of a request; `undefined` if it has none. Throws `invalid-request` for a header beyond the limits. `metadata`
 * belongs to the provider too and is never refused: its tags beyond the limits are cut.
 */
export function requestTags({ header, metadata }: TagSources): RequestTags | undefined {
  const isObject = typeof metadata === 'object' && metadata !== null;
  if (header === undefined && !isObject) return undefined;
  const tags = new Set(header === undefined ? [] : headerTags(header));
  const isCut = isObject && addMetadata(tags, metadata as Readonly<Record<string, unknown>>);
  return tags.size === 0 && !isCut ? undefined : { list: [...tags], isCut };
}

function headerTags(header: string): readonly string[] {
  const tags = header.split(',').map(singleLine).filter(Boolean);
  if (tags.length > tagsMax) throw invalidHeader(`has ${tags.length} tags; ${tagsMax} are allowed`);
  if (tags.some(({ length }) => length > tagLengthMax)) {
    throw invalidHeader(`has a tag of more than ${tagLengthMax} characters`);
  }
  return tags;
}

function invalidHeader(rule: string): GatewayError {
  return new GatewayError('invalid-request', { detail: `The header ${tagsHeader} ${rule}.` });
}

/** Adds the tags and returns whether any was cut. */
function addMetadata(tags: Set<string>, metadata: Readonly<Record<string, unknown>>): boolean {
  let isCut = false;
  let entries = 0;
  for (const text of metadataTexts(metadata)) {
    entries += 1;
    // One character longer than needed, so that a longer tag is noticed.
    const whole = singleLine(text.slice(0, 4 * tagLengthMax));
    const tag = whole.length > tagLengthMax ? whole.slice(0, tagLengthMax).trimEnd() : whole;
    if (tag.length < whole.length || text.length > 4 * tagLengthMax) isCut = true;
    if (tag === '' || tags.has(tag)) continue;
    if (tags.size === tagsMax || entries > entriesMax) return true;
    tags.add(tag);
  }
  return isCut;
}

/** A list under `tags` has whole tags. The label of the end user is no tag. */
function* metadataTexts(metadata: Readonly<Record<string, unknown>>): Generator<string> {
  for (const name in metadata) {
    const value = metadata[name];
    if (name === 'tags' && Array.isArray(value)) {
      for (const tag of value) if (typeof tag === 'string') yield tag;
    } else if (typeof value === 'string' && name !== 'user_id') {
      yield `${name}:${value}`;
    }
  }
}

/** Tags are stored one per line. */
function singleLine(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what it removes
  return text.replaceAll(/[\s\u0000-\u001f\u007f]+/g, ' ').trim();
}
