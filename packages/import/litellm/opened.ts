import type { FindingCode } from '../findings.ts';
import { Secret } from '../secret.ts';
import { recordOf, textOf, type Values } from '../values.ts';
import { looksEncrypted, type SaltKey } from './decrypt.ts';

/** An encrypted value that could not be opened. */
export class SealedValue {
  readonly code: Extract<FindingCode, 'credential_encrypted' | 'credential_unreadable'>;

  constructor(saltKey: SaltKey | undefined) {
    this.code = saltKey ? 'credential_unreadable' : 'credential_encrypted';
  }
}

/**
 * Opens every text of a stored object. LiteLLM encrypts each by itself. A text that does not open is a `SealedValue` if
 * it looks encrypted.
 */
export function openedValues(values: Values, saltKey: SaltKey | undefined): Values {
  return mapTexts(values, (text) => {
    const opened = saltKey?.open(text);
    if (opened !== undefined) return opened;
    return looksEncrypted(text) ? new SealedValue(saltKey) : text;
  });
}

function mapTexts(values: Values, change: (text: string) => unknown): Values {
  const changed = (value: unknown): unknown => {
    if (typeof value === 'string') return change(value);
    if (Array.isArray(value)) return value.map(changed);
    const record = recordOf(value);
    return Object.keys(record).length > 0 ? mapTexts(record, change) : value;
  };
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, changed(value)]));
}

/** The parts of LiteLLM that credentials refer to. */
export interface CredentialParts {
  /** Encrypted values of environment variables that the dashboard of LiteLLM stored. */
  readonly environment: Values;
  /** Environment variables of the configuration file. */
  readonly plainEnvironment: Values;
  readonly saltKey: SaltKey | undefined;
}

/** `Secret`: the value itself, or a reference `${NAME}` to the environment of the gateway. */
export type OpenedCredential = Secret | SealedValue | undefined;

const reference = /^os\.environ\/([A-Za-z_][A-Za-z0-9_]*)$/;

/** The secret of a setting, which may name an environment variable as `os.environ/NAME`. */
export function credentialOf(
  value: unknown,
  { environment, plainEnvironment, saltKey }: CredentialParts,
): OpenedCredential {
  if (value instanceof SealedValue) return value;
  const text = textOf(value);
  if (text === undefined) return undefined;
  const [, name] = reference.exec(text) ?? [];
  if (name === undefined) return new Secret(text);
  const plain = textOf(plainEnvironment[name]);
  if (plain !== undefined) return new Secret(plain);
  const stored = textOf(environment[name]);
  if (stored === undefined) return new Secret(`\${${name}}`);
  const opened = saltKey?.open(stored);
  if (opened !== undefined) return new Secret(opened);
  return looksEncrypted(stored) ? new SealedValue(saltKey) : new Secret(stored);
}

/** A setting that is no secret, such as an address or a region. */
export function plainSetting(value: unknown, parts: CredentialParts): string | undefined {
  const found = credentialOf(value, parts);
  return found instanceof Secret ? found.reveal() : undefined;
}
