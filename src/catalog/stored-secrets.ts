import { type Environment, expandVariables, isReference } from '../config/environment.ts';
import type { ConfigFinding } from '../config/problem.ts';
import type { Resource } from '../config/resource.ts';
import { secretFields } from '../config/upstream.ts';
import { isSealed, type SecretVault } from './secret-vault.ts';
import { broken } from '../core/reasons/reason.ts';

type Spec = Resource['spec'];

/** Whether the entry has secrets that must be sealed before the store may have them. */
export function hasLiteralSecrets(spec: Spec): boolean {
  return secretTexts(spec).some(({ text }) => !isReference(text));
}

/** Secrets that are neither one literal nor one reference: nobody could tell which of the two was meant. */
export function mixedSecrets(spec: Spec): readonly ConfigFinding[] {
  return secretTexts(spec)
    .filter(({ text }) => text.includes('${') && !isReference(text))
    .map(({ path }) => ({
      path,
      ...broken('mixed_reference'),
      fix: "Write the whole secret, or one reference such as '${NAME}' and nothing else.",
    }));
}

/** The entry as the store keeps it: references as they are, everything else sealed for the entry's name. */
export function withSealedSecrets(spec: Spec, vault: SecretVault): Spec {
  return mapSecrets(spec, (text) => (isReference(text) ? text : vault.seal(ownerOf(spec), text)));
}

/** The entry with all that was sealed with former secrets sealed anew. */
export function withRenewedSecrets(spec: Spec, vault: SecretVault): Spec {
  return mapSecrets(spec, (text) => {
    const isFormer = vault.formerBeginnings.some((beginning) => text.startsWith(beginning));
    const opened = isFormer ? vault.open(ownerOf(spec), text) : undefined;
    return opened?.ok ? vault.seal(ownerOf(spec), opened.secret) : text;
  });
}

/** The entry as people may see it: that a secret is set, and where a reference points. */
export function withHiddenSecrets(spec: Spec): Spec {
  return mapSecrets(spec, (text) => (isReference(text) ? text : 'set'));
}

/** Secrets of an entry, sealed as they are, that stay when another takes its place; one that names any brings all. */
export function keptSecrets(before: Spec, after: Spec): Spec {
  if (secretFields.some((field) => after[field] !== undefined)) return {};
  return Object.fromEntries(
    secretFields.filter((field) => before[field] !== undefined).map((field) => [field, before[field]]),
  );
}

/** Whether two entries send their secrets to the same place: whoever may change an address must not get at the keys. */
export function haveSamePlace(before: Spec, after: Spec): boolean {
  return JSON.stringify(placeOf(before)) === JSON.stringify(placeOf(after));
}

const placeFields = ['kind', 'base_url', 'region', 'project', 'location', 'resource_name'];

function placeOf(spec: Spec): readonly unknown[] {
  const quirks = (spec.quirks ?? {}) as Spec;
  return [...placeFields.map((field) => spec[field]), quirks.completions_url, quirks.prefix_url];
}

/** The entry with its secrets filled in, and what is in the way of those that cannot be. */
export function withSecrets(
  spec: Spec,
  { env, vault }: { readonly env: Environment; readonly vault: SecretVault },
): { spec: Spec; findings: readonly ConfigFinding[] } {
  const findings: ConfigFinding[] = [];
  const filled = mapSecrets(spec, (text, path) => {
    if (!isSealed(text)) {
      const expanded = expandVariables(text, env);
      findings.push(...expanded.missing.map(unset));
      return expanded.text;
    }
    const opened = vault.open(ownerOf(spec), text);
    if (opened.ok) return opened.secret;
    findings.push({ path, ...broken(closedReasons[opened.reason]), fix: giveAgain(String(spec.name)) });
    return text;
  });
  return { spec: filled, findings };
}

const closedReasons = {
  foreign: 'secret_of_other_gateway',
  damaged: 'secret_damaged',
} as const;

function giveAgain(name: string): string {
  return `Put the right \`secret\` or secret.key back, or give the key again: chat-gateway upstreams rotate-key ${name} --api-key -`;
}

function unset(name: string): ConfigFinding {
  return {
    path: [],
    ...broken('variable_not_set', { variable: name }),
    fix: `Set ${name} and restart.`,
  };
}

function ownerOf(spec: Spec): string {
  return `upstream ${String(spec.name)}`;
}

function secretTexts(spec: Spec): { path: string[]; text: string }[] {
  const found: { path: string[]; text: string }[] = [];
  mapSecrets(spec, (text, path) => {
    found.push({ path, text });
    return text;
  });
  return found;
}

/** What is no text stays: the schema has words for it. */
function mapSecrets(spec: Spec, change: (text: string, path: string[]) => string): Spec {
  const changed = (value: unknown, path: string[]): unknown => {
    if (typeof value === 'string') return change(value, path);
    if (Array.isArray(value)) return value.map((each) => changed(each, path));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, changed(each, path)]));
  };
  const fields = secretFields.filter((field) => spec[field] !== undefined);
  return { ...spec, ...Object.fromEntries(fields.map((field) => [field, changed(spec[field], [field])])) };
}
