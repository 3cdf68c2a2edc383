import { type Environment, expandVariables, isReference } from '../config/environment.ts';
import type { Finding } from '../config/problem.ts';
import type { Resource } from '../config/resource.ts';

type Spec = Resource['spec'];

/** Secrets of a stored upstream that are not references to the environment. The store is not encrypted, so it gets none. */
export function literalSecrets(spec: Spec): readonly Finding[] {
  return secretTexts(spec)
    .filter(({ text }) => !isReference(text))
    .map(({ path }) => ({
      path,
      message: 'would be stored readable for everyone who can read the store',
      fix: "Put the secret into an environment variable of the gateway and write '${NAME}' here.",
    }));
}

/** The entry with its references filled in, and the variables that are not set here. */
export function withSecrets(spec: Spec, env: Environment): { spec: Spec; missing: readonly string[] } {
  const missing = secretTexts(spec).flatMap(({ text }) => expandVariables(text, env).missing);
  const filled = (value: unknown): unknown => {
    if (typeof value === 'string') return expandVariables(value, env).text;
    if (Array.isArray(value)) return value.map(filled);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, filled(inner)]));
  };
  const secrets = secretFields.filter((field) => spec[field] !== undefined);
  return { spec: { ...spec, ...Object.fromEntries(secrets.map((field) => [field, filled(spec[field])])) }, missing };
}

const secretFields = ['api_key', 'api_keys', 'headers'] as const;

function secretTexts(spec: Spec): { path: string[]; text: string }[] {
  return secretFields.flatMap((field) => {
    const value = spec[field];
    const texts = typeof value === 'object' && value !== null ? Object.values(value) : [value];
    return texts.filter((text) => typeof text === 'string').map((text) => ({ path: [field], text }));
  });
}
