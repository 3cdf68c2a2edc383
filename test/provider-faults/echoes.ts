import { json, type ScriptedReply, text } from '../fakes/fake-provider.ts';
import { end, play } from './replies.ts';
import type { ProviderKind } from '../provider-kinds/provider-kind.ts';

/** A provider that repeats the request in its error, with the credentials. */
export interface Echo {
  readonly name: string;
  reply(kind: ProviderKind, secrets: readonly string[]): ScriptedReply;
}

/** The secrets of a provider's entry, which must not appear in any error. */
export function secretsOf({ entry }: ProviderKind): readonly string[] {
  const { kind: _kind, region: _region, quirks: _quirks, ...secrets } = entry;
  return Object.values(secrets).map(String);
}

function errorText(secrets: readonly string[]): string {
  return `Incorrect API key provided: ${secrets.join(', ')}.`;
}

export const echoes: readonly Echo[] = [
  {
    name: 'with 401',
    reply: (_kind, secrets) => json(401, { error: { message: errorText(secrets), code: secrets[0] } }),
  },
  {
    name: 'with 400',
    reply: (_kind, secrets) => json(400, { error: { message: errorText(secrets), code: secrets[0] } }),
  },
  {
    name: 'with all other headers',
    reply: () => (writer, call) => json(400, { message: JSON.stringify(call.headers) })(writer, call),
  },
  { name: 'as plain text', reply: (_kind, secrets) => text(500, 'text/plain', errorText(secrets)) },
  { name: 'as a content type', reply: (_kind, secrets) => text(200, secrets[0] ?? '', 'x') },
  { name: 'in a frame', reply: (kind, secrets) => play(kind, [kind.fail('overloaded', errorText(secrets)), end]) },
  {
    name: 'in a frame that refuses',
    reply: (kind, secrets) => play(kind, [kind.fail('invalid', errorText(secrets)), end]),
  },
];
