import type { UpstreamSpec } from '../../platform/config/schema/upstream.ts';
import { defaultQuirks, type ResolvedQuirks } from 'chat-formats/chat-completions/quirks.ts';
import type { Preset } from './providers/preset.ts';
import { presets } from './providers/presets.ts';
import { clouds } from './providers/clouds.ts';
import type { SignerSpec } from './auth/request-signer.ts';

/** A provider with one of the gateway's wire formats over HTTP, with all defaults filled in. */
export interface ResolvedUpstream
  extends Pick<UpstreamSpec, 'name' | 'timeouts' | 'passTrace' | 'egressAllow' | 'proxy' | 'ca'>,
    SignerSpec {
  readonly wireFormat: Preset['wireFormat'];
  readonly baseUrl: string;
  /** Empty for a provider that needs none. */
  readonly apiKeys: readonly string[];
  /** The header for them, if it is not the usual one of the format. */
  readonly keyHeader?: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly quirks: ResolvedQuirks;
}

/** Combines the settings of the file, the preset and the standard format. Earlier ones win. */
export function resolveUpstream(spec: UpstreamSpec): ResolvedUpstream {
  const cloud = clouds.find(({ name }) => name === spec.kind);
  const preset = presets.find(({ name }) => name === spec.kind);
  const facts = cloud ?? preset;
  const baseUrl = cloud ? cloud.addressOf(spec) : (spec.baseUrl ?? preset?.baseUrl);
  if (baseUrl === undefined)
    throw new TypeError(`upstream ${spec.name}: the kind ${spec.kind} is unknown and has no base_url`);
  const known = isOtherProvider(spec.kind, baseUrl) ? {} : facts?.quirks;
  const declared = { ...known, ...withoutUndefined(spec.quirks) };
  return {
    ...spec,
    wireFormat: facts?.wireFormat ?? 'chat-completions',
    baseUrl,
    keyHeader: facts?.keyHeader,
    apiKeys: spec.apiKeys ?? (spec.apiKey === undefined ? [] : [spec.apiKey]),
    headers: spec.headers ?? {},
    quirks: { ...defaultQuirks, thinkingDefaults: declared.thinkingStyle !== undefined, ...declared },
  };
}

/** With another address, these kinds usually mean another provider that uses the same format. */
const formatsByName: ReadonlyMap<string, string> = new Map([
  ['openai', 'api.openai.com'],
  ['anthropic', 'api.anthropic.com'],
]);

function isOtherProvider(kind: string, baseUrl: string): boolean {
  const host = formatsByName.get(kind);
  return host !== undefined && new URL(baseUrl).hostname !== host;
}

function withoutUndefined(quirks: UpstreamSpec['quirks']): Partial<ResolvedQuirks> {
  return Object.fromEntries(Object.entries(quirks).filter(([, value]) => value !== undefined));
}
