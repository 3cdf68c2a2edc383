import { type Environment, expandVariables, isReference } from '../../platform/config/environment.ts';
import type { ConfigProblem } from '../../platform/config/file/problem.ts';
import type { Resource } from '../../platform/config/schema/resource.ts';
import { secretFields } from '../../platform/config/schema/upstream.ts';
import { isSealed, type SecretVault } from '../../platform/secrets/secret-vault.ts';
import { broken } from 'chat-formats/reasons/reason.ts';

type Spec = Resource['spec'];

/** Whether the entry has secrets that must be sealed before they are stored. */
export function hasLiteralSecrets(spec: Spec): boolean {
  return secretTexts(spec).some(({ text }) => !isReference(text));
}

/** Finds secrets that mix literal text and references: it is ambiguous which was intended. */
export function mixedSecrets(spec: Spec): readonly ConfigProblem[] {
  return secretTexts(spec)
    .filter(({ text }) => text.includes('${') && !isReference(text))
    .map(({ path }) => ({
      path,
      ...broken('mixed_reference'),
      fix: "Write the whole secret, or one reference such as '${NAME}' and nothing else.",
    }));
}

/** The environment variables that the secrets of an entry name. */
export function namedVariables(spec: Spec): readonly string[] {
  return secretTexts(spec).flatMap(({ text }) => [...text.matchAll(/\$\{([^}]*)\}/g)].map(([, name = '']) => name));
}

/** Returns the entry for the store: references unchanged, all other secrets sealed for the name of the entry. */
export function withSealedSecrets(spec: Spec, vault: SecretVault): Spec {
  return mapSecrets(spec, (text) => (isReference(text) ? text : vault.seal(ownerOf(spec), text)));
}

/** Returns the entry with secrets of former keys sealed again with the current one. */
export function withRenewedSecrets(spec: Spec, vault: SecretVault): Spec {
  return mapSecrets(spec, (text) => {
    const isFormer = vault.formerBeginnings.some((beginning) => text.startsWith(beginning));
    const opened = isFormer ? vault.open(ownerOf(spec), text) : undefined;
    return opened?.ok ? vault.seal(ownerOf(spec), opened.secret) : text;
  });
}

/** Returns the entry for display: a secret is shown as `set`, a reference as it is. */
export function withHiddenSecrets(spec: Spec): Spec {
  return mapSecrets(spec, (text) => (isReference(text) ? text : 'set'));
}

/** Returns the sealed secrets that stay when an entry is replaced. If the new entry names any secret, none stay. */
export function keptSecrets(before: Spec, after: Spec): Spec {
  if (secretFields.some((field) => after[field] !== undefined)) return {};
  return Object.fromEntries(
    secretFields.filter((field) => before[field] !== undefined).map((field) => [field, before[field]]),
  );
}

/**
 * Whether two entries send their secrets to the same destination. A user who can change the address must not be able to
 * redirect the keys.
 */
export function haveSameDestination(before: Spec, after: Spec): boolean {
  return JSON.stringify(destinationOf(before)) === JSON.stringify(destinationOf(after));
}

const destinationFields = ['kind', 'base_url', 'region', 'project', 'location', 'resource_name'];

function destinationOf(spec: Spec): readonly unknown[] {
  const quirks = (spec.quirks ?? {}) as Spec;
  return [...destinationFields.map((field) => spec[field]), quirks.completions_url, quirks.prefix_url];
}

/** Returns the entry with its secrets filled in, and findings for secrets that cannot be read. */
export function withSecrets(
  spec: Spec,
  { env, vault }: { readonly env: Environment; readonly vault: SecretVault },
): { spec: Spec; problems: readonly ConfigProblem[] } {
  const problems: ConfigProblem[] = [];
  const filled = mapSecrets(spec, (text, path) => {
    if (!isSealed(text)) {
      const expanded = expandVariables(text, env);
      problems.push(...expanded.missing.map(unset));
      return expanded.text;
    }
    const opened = vault.open(ownerOf(spec), text);
    if (opened.ok) return opened.secret;
    problems.push({ path, ...broken(closedReasons[opened.reason]), fix: reenterHint(String(spec.name)) });
    return text;
  });
  return { spec: filled, problems };
}

const closedReasons = {
  foreign: 'secret_of_other_gateway',
  damaged: 'secret_damaged',
} as const;

function reenterHint(name: string): string {
  return `Put the right \`secret\` or secret.key back, or give the key again: chat-gateway upstreams rotate-key ${name} --api-key -`;
}

function unset(name: string): ConfigProblem {
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
  const texts: { path: string[]; text: string }[] = [];
  mapSecrets(spec, (text, path) => {
    texts.push({ path, text });
    return text;
  });
  return texts;
}

/** Values other than text stay unchanged: the schema reports them. */
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
