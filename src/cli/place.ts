import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { PepperOptions } from '../platform/secrets/pepper.ts';
import type { AccountSpec } from '../platform/config/schema/account.ts';
import type { OrganisationSpec } from '../platform/config/schema/organisation.ts';
import { configSchema } from '../platform/config/config.ts';
import { camelCased } from '../platform/config/schema/values/camel-case.ts';
import { isRecord } from '../platform/config/file/sections.ts';
import { storedBodiesSchema } from '../platform/config/schema/stored-bodies.ts';
import { readYaml } from '../platform/config/file/yaml-source.ts';
import { addressText } from '../platform/store/postgres/postgres-address.ts';
import { CliError } from './terminal/output.ts';

export interface NamedGateway {
  readonly file: string | undefined;
  readonly data: string;
  /** Address of the database that replaces the embedded store. */
  readonly database: string | undefined;
  /** Name of the store for messages, without secrets. */
  readonly storeName: string;
  /** Returns the configured secrets. Throws if only the gateway's environment has them, so call it only if needed. */
  secrets(): PepperOptions;
  /** Address of the gateway for clients on this machine. */
  readonly url: string;
  /** Accounts in the file; empty if that section is invalid. */
  readonly accounts: readonly AccountSpec[];
  /** Organisations in the file; empty if that section is invalid. */
  readonly organisations: readonly OrganisationSpec[];
  /** Private addresses that the file allows for webhooks of accounts. */
  readonly webhooksAllow: readonly string[];
  /** The limits of stored bodies. `undefined`: the file does not allow keys to store them. */
  readonly storedBodies: { readonly keep: number; readonly maxBytes: number } | undefined;
  /** The currency of balances. Throws like `secrets`. */
  currency(): string;
}

export interface NamedStore {
  readonly data?: string;
  readonly database?: string;
}

const defaultFile = 'gateway.yaml';

/** The configuration file: the named one, or gateway.yaml if it exists. */
export function configFileOf(command: Command): string | undefined {
  const { config } = command.optsWithGlobals<{ config?: string }>();
  return config ?? (existsSync(defaultFile) ? defaultFile : undefined);
}

/**
 * Reads only the settings that a command needs. So errors in other parts of the file, and variables that only the
 * gateway's environment has, do not stop a command such as `keys list`.
 */
export function resolveGateway(command: Command): NamedGateway {
  const options = command.optsWithGlobals<NamedStore>();
  const file = configFileOf(command);
  const setting = file === undefined ? () => undefined : settingsIn(file);
  const database = databaseOf(options, () => setting('database'));
  const data = options.data === undefined ? folderOf(setting('data'), file) : resolve(options.data);
  return {
    file,
    data,
    database,
    storeName: database === undefined ? data : addressText(database),
    secrets: () => {
      const secret = configSchema.shape.secret.parse(setting('secret'));
      if (secret === undefined && database !== undefined) throw secretMissing();
      return { data, secret, otherSecrets: configSchema.shape.other_secrets.parse(setting('other_secrets')) };
    },
    url: urlOf(setting('listen')),
    accounts: camelCased(configSchema.shape.accounts.safeParse(setting('accounts')).data ?? []),
    organisations: camelCased(configSchema.shape.organisations.safeParse(setting('organisations')).data ?? []),
    webhooksAllow: configSchema.shape.webhooks.safeParse(setting('webhooks')).data?.allow ?? [],
    storedBodies: bodyTermsOf(setting('stored_bodies')),
    currency: () => configSchema.shape.currency.parse(setting('currency')),
  };
}

/** Whether the store exists. A database always counts as one. To open an embedded store that is absent creates it. */
export function hasStore({ data, database }: Pick<NamedGateway, 'data' | 'database'>): boolean {
  return database !== undefined || existsSync(join(data, 'gateway.db'));
}

/** The database of the command line; otherwise the configured one, unless the command line names a folder. */
export function databaseOf({ database, data }: NamedStore, configured: () => unknown): string | undefined {
  const value = database ?? (data === undefined ? configured() : undefined);
  const valid = configSchema.shape.database.safeParse(value);
  if (valid.success) return valid.data;
  const setting = database === undefined ? '`database` in the configuration' : '--database';
  throw new CliError('invalid_database_address', { setting }, { exitCode: 2 });
}

/** A warning if --data on the command line overrides the configured database. */
export function overrideWarning({ data, database }: NamedStore, configured: string | undefined): string | undefined {
  if (data === undefined || database !== undefined || configured === undefined) return undefined;
  return `--data ${data} overrides \`database\` in the configuration (${addressText(configured)}).`;
}

export function secretMissing(): CliError {
  return new CliError('secret_missing');
}

function settingsIn(file: string): (name: string) => unknown {
  const source = readYaml(textOf(file), process.env);
  if (!source.readable) throw new CliError('config_not_yaml', { file });
  return (name) => {
    if (source.origin([name]) === 'unresolved') {
      throw new CliError('config_variable_not_set', { setting: name, file });
    }
    return isRecord(source.data) ? source.data[name] : undefined;
  };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new CliError('config_unreadable', { problem }, { cause: error });
  }
}

/** Resolves `data` relative to the file that sets it. */
function folderOf(value: unknown, file: string | undefined): string {
  const data = configSchema.shape.data.safeParse(value);
  if (!data.success) throw new CliError('config_folder_invalid', { file: file ?? defaultFile });
  return resolve(file === undefined ? '.' : dirname(file), data.data);
}

/** Without the secret of the bodies, which often only the environment of the gateway has. */
function bodyTermsOf(value: unknown): NamedGateway['storedBodies'] {
  const { data } = storedBodiesSchema.safeParse(isRecord(value) && { ...value, secret: undefined });
  return data && { keep: data.keep, maxBytes: data.max_bytes };
}

function urlOf(value: unknown): string {
  const listen = configSchema.shape.listen.safeParse(value);
  const { host, port } = listen.success ? listen.data : configSchema.shape.listen.parse(undefined);
  const isEverywhere = host === '0.0.0.0' || host === '::';
  const name = isEverywhere ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
