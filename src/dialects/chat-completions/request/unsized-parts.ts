import { isObject, listOf, objectOf, type WireObject, nonEmptyString } from '../../wire-value.ts';

/**
 * Whether a body holds parts whose token count has no bound in their bytes. Images do not count: each has its own
 * bound.
 */
export function hasUnsizedParts(body: WireObject): boolean {
  return listOf(body.messages).some(
    // An earlier audio answer is only referenced by its id.
    (message) => isObject(message) && (isObject(message.audio) || listOf(message.content).some(isUnsized)),
  );
}

function isUnsized(part: unknown): boolean {
  if (!isObject(part)) return false;
  switch (part.type) {
    case 'text':
    case 'refusal':
    case 'image_url':
    // A second of audio has more bytes than tokens.
    case 'input_audio':
      return false;
    case 'file':
      return !plainText.test(nonEmptyString(objectOf(part.file)?.file_data)?.slice(0, 64) ?? '');
    default:
      return true;
  }
}

const plainText = /^data:text\/plain[;,]/i;
