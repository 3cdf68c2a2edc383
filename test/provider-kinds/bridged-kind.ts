import type { Recordings } from '../bridged/recording.ts';
import type { ProviderKind } from './provider-kind.ts';

/** The members of a kind that its recordings already contain. */
export function bridgedKind(
  recordings: Recordings,
): Pick<ProviderKind, 'name' | 'entry' | 'model' | 'path' | 'contentType' | 'refusal'> {
  const { kind, settings, model, path, contentType, refusal } = recordings;
  return {
    name: kind,
    entry: { kind, ...settings },
    model,
    path,
    contentType,
    refusal: { ...refusal, code: refusal.code || undefined },
  };
}
