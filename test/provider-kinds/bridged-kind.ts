import type { Recordings } from '../bridged/recording.ts';
import type { ProviderKind } from './provider-kind.ts';

/** What the recordings of a kind know of it already. */
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
