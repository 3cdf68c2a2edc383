import type { FindingList } from '../findings.ts';
import { itemNames } from '../item-name.ts';
import type { PlannedUpstream, UpstreamSecrets } from '../plan.ts';
import { plannedUpstream, type UpstreamDraft } from '../planned-upstream.ts';
import { Secret } from '../secret.ts';
import { jsonOf, type Row } from '../table-reader.ts';
import { recordOf, textOf, valuesOf } from '../values.ts';
import { channelAddress } from './channel-address.ts';
import { channelKeys } from './channel-keys.ts';
import { type ChannelKind, channelKind } from './channel-kinds.ts';
import { isObjectText, isOn, listed, type OneApiSource, wholeOf } from './source.ts';

/** A channel, and the upstreams that it becomes. */
export interface PlannedChannel {
  readonly id: string;
  readonly type: string;
  readonly groups: readonly string[];
  readonly models: readonly string[];
  /** Higher first. */
  readonly priority: bigint;
  readonly weight: bigint;
  readonly kind: string;
  /** The provider's name of a model. */
  modelAt(model: string): string;
  /** The name of the upstream for a model of the provider. */
  upstreamFor(providerModel: string): string;
}

interface PlannedChannels {
  readonly channels: readonly PlannedChannel[];
  readonly upstreams: readonly PlannedUpstream[];
}

export function planChannels(source: OneApiSource, findings: FindingList): PlannedChannels {
  const named = itemNames();
  const upstreams: PlannedUpstream[] = [];
  const channels = source.channels.map((row) => {
    const id = row['id'] ?? '';
    const kind = channelKind(source.product, row['type'] ?? '') ?? { title: row['type'] ?? '' };
    reportSettings(row, findings);
    const name = named(row['name'], `channel-${id}`);
    const drafts = draftsOf({ source, row, kind, name, findings });
    upstreams.push(...drafts.map((draft) => plannedUpstream(draft, source.target, findings)));
    return plannedChannel(source, row, kind, drafts);
  });
  return { channels, upstreams };
}

interface DraftParts {
  readonly source: OneApiSource;
  readonly row: Row;
  readonly kind: ChannelKind;
  readonly name: string;
  readonly findings: FindingList;
}

/** One upstream; of Vertex AI, one for each location. */
interface ChannelDraft extends UpstreamDraft {
  readonly location?: string;
}

function draftsOf(parts: DraftParts): readonly ChannelDraft[] {
  const { source, row, kind, name, findings } = parts;
  const sourceId = row['id'] ?? '';
  const subject = { kind: 'upstream', sourceId } as const;
  const { baseUrl, problem } = channelAddress(kind, row);
  const { keys, off } = channelKeys(source.product, row);
  if (off > 0) findings.add('channel_keys_off', subject, { count: off });
  if (row['status'] === '3') findings.add('channel_off_by_itself', subject);
  if (problem) findings.add(problem, subject, { address: row['base_url'] ?? '' });
  const { fields, secrets } = credentialOf(parts, keys);
  const needsKey = kind.kind !== 'ollama' && kind.title !== 'Xinference';
  const draft: UpstreamDraft = {
    sourceId,
    name,
    kind: kind.kind,
    provider: kind.title,
    fields: { base_url: baseUrl, ...fields },
    secrets: { ...secrets, ...headersOf(kind, row, findings) },
    lacks: needsKey && Object.keys(secrets).length === 0 ? 'credential_missing' : undefined,
    isEnabled: isOn(row) && problem === undefined,
  };
  if (kind.form !== 'vertex') return [draft];
  return locationsOf(row).map((location, index) => ({
    ...draft,
    sourceId: index === 0 ? sourceId : `${sourceId}:${location}`,
    name: index === 0 ? name : `${name.slice(0, 40)}-${location}`,
    fields: { ...draft.fields, location },
    location,
  }));
}

interface Credential {
  readonly fields: Readonly<Record<string, string | undefined>>;
  readonly secrets: UpstreamSecrets;
}

function credentialOf({ source, row, kind, findings }: DraftParts, keys: readonly string[]): Credential {
  switch (kind.form) {
    case 'bedrock':
      return bedrock(source, row, keys, findings);
    case 'vertex':
      return vertex(source, row, keys, findings);
    case 'key-and-app':
      return { fields: {}, secrets: keySecrets(keys.map((key) => key.split('|')[0] ?? '')) };
    default:
      return { fields: {}, secrets: keySecrets(keys) };
  }
}

/** A key with other characters would break the header that carries it. */
function keySecrets(keys: readonly string[]): UpstreamSecrets {
  const usable = keys.filter((key) => /^[\x21-\x7e]+$/.test(key)).map((key) => new Secret(key));
  const [first] = usable;
  if (!first) return {};
  return usable.length === 1 ? { api_key: first } : { api_keys: usable };
}

/** new-api has `access key|secret|region` or `API key|region` in the key, one-api the parts in `config`. */
function bedrock({ product }: OneApiSource, row: Row, keys: readonly string[], findings: FindingList): Credential {
  const subject = { kind: 'upstream', sourceId: row['id'] ?? '' } as const;
  if (product === 'one-api') {
    const { ak, sk, region } = valuesOf(row['config']);
    return signed(textOf(ak), textOf(sk), textOf(region));
  }
  if (textOf(valuesOf(row['settings'])['aws_key_type']) === 'api_key') {
    const [first = ''] = keys;
    const region = first.split('|')[1];
    const ofRegion = keys.filter((key) => key.split('|')[1] === region);
    if (ofRegion.length < keys.length)
      findings.add('channel_keys_apart', subject, { count: keys.length - ofRegion.length });
    return { fields: { region }, secrets: keySecrets(ofRegion.map((key) => key.split('|')[0] ?? '')) };
  }
  if (keys.length > 1) findings.add('channel_keys_apart', subject, { count: keys.length - 1 });
  const [accessKey, secret, region] = (keys[0] ?? '').split('|');
  return signed(accessKey, secret, region);
}

function signed(accessKey: string | undefined, secret: string | undefined, region: string | undefined): Credential {
  const isComplete = [accessKey, secret].every((part) => /^[\x21-\x7e]+$/.test(part ?? ''));
  const secrets = isComplete
    ? { access_key_id: new Secret(accessKey ?? ''), secret_access_key: new Secret(secret ?? '') }
    : {};
  return { fields: { region: region || 'us-east-1' }, secrets };
}

/** The document of a service account, or an API key. */
function vertex({ product }: OneApiSource, row: Row, keys: readonly string[], findings: FindingList): Credential {
  const config = valuesOf(row['config']);
  const isApiKey = textOf(valuesOf(row['settings'])['vertex_key_type']) === 'api_key';
  if (isApiKey) return { fields: { project: textOf(config['vertex_ai_project_id']) }, secrets: keySecrets(keys) };
  const text = product === 'one-api' ? textOf(config['vertex_ai_adc']) : keys[0];
  const account = recordOf(jsonOf(text));
  const project = textOf(config['vertex_ai_project_id']) ?? textOf(account['project_id']);
  if (keys.length > 1) {
    findings.add('channel_keys_apart', { kind: 'upstream', sourceId: row['id'] ?? '' }, { count: keys.length - 1 });
  }
  const isUsable = 'client_email' in account && 'private_key' in account;
  return { fields: { project }, secrets: isUsable ? { service_account: new Secret(text ?? '') } : {} };
}

/** `other` names a location, or one for each model. */
function locationsOf(row: Row): readonly string[] {
  const regions = Object.values(regionsOf(row)).flatMap((region) => textOf(region) ?? []);
  return regions.length > 0 ? [...new Set(regions)] : ['global'];
}

function regionsOf(row: Row): Readonly<Record<string, unknown>> {
  const config = textOf(valuesOf(row['config'])['region']);
  const other = (row['other'] ?? '').trim();
  if (config !== undefined) return { default: config };
  return other.startsWith('{') ? valuesOf(other) : other === '' ? {} : { default: other };
}

/** Extra headers. Values with placeholders such as `{api_key}` mean nothing here. */
function headersOf(kind: ChannelKind, row: Row, findings: FindingList): UpstreamSecrets {
  const subject = { kind: 'upstream', sourceId: row['id'] ?? '' } as const;
  const organisation = row['openai_organization'] ?? '';
  const appId = kind.form === 'key-and-app' ? /^\S+\|(\S+)$/.exec(row['key'] ?? '')?.[1] : undefined;
  const overrides = Object.entries(valuesOf(row['header_override'])).map(
    ([name, value]) => [name, textOf(value)] as const,
  );
  const usable = overrides.filter(
    (entry): entry is readonly [string, string] =>
      entry[1] !== undefined && /^[\x20-\x7e]*$/.test(entry[1]) && !/[{}]/.test(entry[1]) && /^[\w-]+$/.test(entry[0]),
  );
  if (usable.length < overrides.length) {
    findings.add('channel_setting_not_taken', subject, { setting: 'header_override' });
  }
  const headers = Object.fromEntries([
    ...usable.map(([name, value]) => [name, new Secret(value)] as const),
    ...(organisation === '' ? [] : [['OpenAI-Organization', new Secret(organisation)] as const]),
    ...(appId === undefined ? [] : [['appid', new Secret(appId)] as const]),
  ]);
  return { headers };
}

/** Settings of a channel that change its requests, and have no counterpart. */
function reportSettings(row: Row, findings: FindingList): void {
  const subject = { kind: 'upstream', sourceId: row['id'] ?? '' } as const;
  const setting = valuesOf(row['setting']);
  const used = [
    ...['param_override', 'status_code_mapping'].filter((name) => Object.keys(valuesOf(row[name])).length > 0),
    ...['system_prompt'].filter((name) => (row[name] ?? '') !== '' || textOf(setting[name]) !== undefined),
    ...['proxy'].filter((name) => textOf(setting[name]) !== undefined),
    ...['force_format', 'thinking_to_content', 'pass_through_body_enabled'].filter((name) => setting[name] === true),
  ];
  for (const name of used) findings.add('channel_setting_not_taken', subject, { setting: name });
  const unreadable = ['model_mapping', 'channel_info', 'config'].filter((name) => !isObjectText(row[name]));
  for (const field of unreadable) findings.add('json_unreadable', subject, { field });
}

function plannedChannel(
  source: OneApiSource,
  row: Row,
  kind: ChannelKind,
  drafts: readonly ChannelDraft[],
): PlannedChannel {
  const mapping = valuesOf(row['model_mapping']);
  const regions = regionsOf(row);
  const [first] = drafts;
  return {
    id: row['id'] ?? '',
    type: row['type'] ?? '',
    groups: listed(row['group'] ?? 'default'),
    models: listed(row['models']),
    priority: wholeOf(row['priority']),
    // one-api chooses among channels of the same priority without regard to the weight.
    weight: source.product === 'new-api' ? wholeOf(row['weight']) : 1n,
    kind: kind.kind ?? 'openai',
    modelAt: (model) => deploymentOf(source, row, kind, mapped(source, mapping, model)),
    upstreamFor(model) {
      const location = textOf(regions[model]) ?? textOf(regions['default']);
      return (drafts.find((draft) => draft.location === location) ?? first)?.name ?? '';
    },
  };
}

/** new-api maps the result again, until nothing changes. */
function mapped({ product }: OneApiSource, mapping: Readonly<Record<string, unknown>>, model: string): string {
  const seen = new Set([model]);
  let name = model;
  for (;;) {
    const next = textOf(mapping[name]);
    if (next === undefined || seen.has(next)) return name;
    seen.add(next);
    name = next;
    if (product === 'one-api') return name;
  }
}

/** 2025-05-10: channels of Azure that are older leave out the dots of a model in the name of its deployment. */
const keepsDotsFrom = 1_746_835_200n;

function deploymentOf({ product }: OneApiSource, row: Row, kind: ChannelKind, model: string): string {
  if (kind.form !== 'azure') return model;
  const isDotless = product === 'one-api' || wholeOf(row['created_time']) < keepsDotsFrom;
  return isDotless ? model.replaceAll('.', '') : model;
}
