import { objectOf, type WireObject } from '../../wire-value.ts';
import type { ResolvedQuirks } from '../quirks.ts';

/** In the client's order: a replaced field keeps its place, a new one goes last. A map: a name may be `__proto__`. */
export type BodyFields = Map<string, unknown>;

/** Without fields that the contract ignores and listed ones that are `null`. Unlisted `null`s are the provider's. */
export function bodyFields(body: WireObject, listed: object): BodyFields {
  const fields: BodyFields = new Map();
  for (const name of Object.keys(body)) {
    const value = body[name];
    const isIgnored = name === 'frequency_penalty' || name === 'presence_penalty';
    if (isIgnored || (value === null && Object.hasOwn(listed, name))) continue;
    fields.set(name, value);
  }
  return fields;
}

/** Providers always get `stream: true`, and a request for usage if they support that option. */
export function setStreaming(fields: BodyFields, quirks: ResolvedQuirks): void {
  fields.set('stream', true);
  const options = objectOf(fields.get('stream_options'));
  if (quirks.usageOption && options?.include_usage === true) return;
  const { include_usage: _, ...others } = options ?? {};
  if (quirks.usageOption) fields.set('stream_options', { ...others, include_usage: true });
  else if (Object.keys(others).length > 0) fields.set('stream_options', others);
  else fields.delete('stream_options');
}

/** Sends the end-user label under the provider's field name. If the client set that field itself, its value stays. */
export function setUser(fields: BodyFields, quirks: ResolvedQuirks): void {
  if (quirks.userField === 'user_id') return;
  const label = fields.get('user_id');
  fields.delete('user_id');
  if (quirks.userField === 'user' && label !== undefined && !fields.has('user')) fields.set('user', label);
}

export function bodyText(fields: BodyFields): string {
  let members = '';
  for (const [name, value] of fields) members += `${members && ','}${JSON.stringify(name)}:${JSON.stringify(value)}`;
  return `{${members}}`;
}
