import { isObject, listOf, objectOf, type WireObject, wordOf } from '../wire-value.ts';

/** Whether a body holds parts whose tokens their bytes do not bound. Pictures do not count: each has a bound of its own. */
export function hasUnsizedParts(body: WireObject): boolean {
  return listOf(body.messages).some(
    // An answer in sound is told again by its id.
    (message) => isObject(message) && (isObject(message.audio) || listOf(message.content).some(isUnsized)),
  );
}

function isUnsized(part: unknown): boolean {
  if (!isObject(part)) return false;
  switch (part.type) {
    case 'text':
    case 'refusal':
    case 'image_url':
    // A second of sound takes more bytes than tokens.
    case 'input_audio':
      return false;
    case 'file':
      return !plainText.test(wordOf(objectOf(part.file)?.file_data)?.slice(0, 64) ?? '');
    default:
      return true;
  }
}

const plainText = /^data:text\/plain[;,]/i;
