import { isObject, listOf, type WireObject, wordOf } from '../wire-value.ts';

/** Whether a body holds parts whose tokens their bytes do not bound. Pictures do not count: each has a bound of its own. */
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
      return wordOf(part.image_url) === undefined;
    case 'input_file':
      return !plainText.test(wordOf(part.file_data)?.slice(0, 64) ?? '');
    // A second of sound takes more bytes than tokens, unless the sound is elsewhere.
    case 'input_audio':
      return wordOf(part.audio_url)?.startsWith('http') === true;
    default:
      return false;
  }
}

const plainText = /^data:text\/plain[;,]/i;
