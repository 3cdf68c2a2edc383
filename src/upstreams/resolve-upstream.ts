import type { UpstreamSpec } from '../config/upstream.ts';
import { defaultQuirks, type ResolvedQuirks } from '../dialects/chat-completions/quirks.ts';
import type { Preset } from './preset.ts';
import { presets } from './presets.ts';

/** A provider reached over HTTP in one of our wire formats, with nothing left open. */
export interface ResolvedUpstream {
  readonly name: string;
  readonly wireFormat: Preset['wireFormat'];
  readonly baseUrl: string;
  /** Empty for a provider that wants none. */
  readonly apiKeys: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly timeouts: UpstreamSpec['timeouts'];
  readonly quirks: ResolvedQuirks;
  /** Whether it hears of our traces. */
  readonly passTrace: boolean;
  /** Of private addresses, only these may be connected to; without a list, all. */
  readonly egressAllow?: readonly string[];
  /** The proxy on the way, or `none`; what the environment says if left out. */
  readonly proxy?: string | undefined;
  /** Certificates that vouch for it beside those that everybody trusts. */
  readonly ca?: string | undefined;
}

/** What the file says, over what the preset knows, over the plain format. */
export function resolveUpstream(spec: UpstreamSpec): ResolvedUpstream {
  const preset = presets.find(({ name }) => name === spec.kind);
  const baseUrl = spec.baseUrl ?? preset?.baseUrl;
  if (baseUrl === undefined)
    throw new TypeError(`upstream ${spec.name}: the kind ${spec.kind} is unknown and has no base_url`);
  const known = isSomeoneElse(spec.kind, baseUrl) ? {} : preset?.quirks;
  return {
    name: spec.name,
    wireFormat: preset?.wireFormat ?? 'chat-completions',
    baseUrl,
    apiKeys: spec.apiKeys ?? (spec.apiKey === undefined ? [] : [spec.apiKey]),
    headers: spec.headers ?? {},
    timeouts: spec.timeouts,
    quirks: { ...defaultQuirks, ...known, ...said(spec.quirks) },
    passTrace: spec.passTrace,
    egressAllow: spec.egressAllow,
    proxy: spec.proxy,
    ca: spec.ca,
  };
}

/** These kinds with another address are the usual way to name a provider that merely speaks the format. */
const formatsByName: ReadonlyMap<string, string> = new Map([
  ['openai', 'api.openai.com'],
  ['anthropic', 'api.anthropic.com'],
]);

function isSomeoneElse(kind: string, baseUrl: string): boolean {
  const host = formatsByName.get(kind);
  return host !== undefined && new URL(baseUrl).hostname !== host;
}

function said(quirks: UpstreamSpec['quirks']): Partial<ResolvedQuirks> {
  return Object.fromEntries(Object.entries(quirks).filter(([, value]) => value !== undefined));
}
