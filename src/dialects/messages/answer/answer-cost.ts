import type { Usage } from '../../../core/chat/usage.ts';
import { setMember } from '../../json-splice.ts';
import { editEvent } from './answer-model.ts';
import { encodeMessagesUsage } from './encode-usage.ts';

/**
 * Adds the charge to the usage in the text of a complete message or of a `message_delta` event. All other characters
 * stay unchanged. The text must be JSON. If it has no usage object, it gets the whole usage.
 */
export function addCost(text: string, usage: Usage): string {
  const { cost } = usage;
  if (cost === undefined) return text;
  return setMember(text, 'usage', (old) =>
    old?.startsWith('{')
      ? setMember(old, 'cost', () => JSON.stringify(cost))
      : JSON.stringify(encodeMessagesUsage(usage)),
  );
}

/** The same for the last `message_delta` of a provider's frames. */
export function addCostToFrames(frames: string, usage: Usage): string {
  return editEvent(frames, { type: 'message_delta', isLast: true }, (data) => addCost(data, usage)) ?? frames;
}
