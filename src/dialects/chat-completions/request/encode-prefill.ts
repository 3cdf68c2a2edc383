import type { BodyFields } from './body-fields.ts';
import type { ResolvedQuirks } from '../quirks.ts';

/** Adds the start of the answer as the last message, with the flags that make the provider continue it. */
export function setPrefill(fields: BodyFields, prefill: string, { prefixStyle }: ResolvedQuirks): void {
  const messages: unknown = fields.get('messages');
  const flag = prefixStyle === 'prefix' || prefixStyle === 'partial' ? { [prefixStyle]: true } : {};
  const beginning = { role: 'assistant', content: prefill, ...flag };
  fields.set('messages', [...(Array.isArray(messages) ? (messages as unknown[]) : []), beginning]);
  if (prefixStyle !== 'continue_final_message') return;
  fields.set('add_generation_prompt', false);
  fields.set('continue_final_message', true);
}
