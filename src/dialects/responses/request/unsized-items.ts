import { isObject, listOf, type WireObject, nonEmptyString } from '../../wire-value.ts';

/**
 * Whether a body has parts whose number of tokens is not limited by their bytes. Images do not count: each has its own
 * limit.
 */
export function hasUnsizedItems(body: WireObject): boolean {
  return listOf(body.input).some((item) => isObject(item) && partsOf(item).some(isUnsized));
}

function partsOf(item: WireObject): readonly unknown[] {
  return [...listOf(item.content), ...listOf(item.output)];
}

function isUnsized(part: unknown): boolean {
  if (!isObject(part)) return false;
  switch (part.type) {
    case 'input_image':
      return nonEmptyString(part.image_url) === undefined;
    case 'input_file':
      return !plainText.test(nonEmptyString(part.file_data)?.slice(0, 64) ?? '');
    // Audio has more bytes than tokens, unless it is at a URL.
    case 'input_audio':
      return nonEmptyString(part.audio_url)?.startsWith('http') === true;
    default:
      return false;
  }
}

const plainText = /^data:text\/plain[;,]/i;
