import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import type { PepperOptions } from '../accounts/pepper.ts';
import type { AccountSpec } from '../config/account.ts';
import { configSchema } from '../config/config.ts';
import { isRecord } from '../config/sections.ts';
import { readYaml } from '../config/yaml-source.ts';
import { addressText } from '../store/postgres-address.ts';
import { CliError } from './output.ts';

/** Which gateway a command is about. */
export interface NamedGateway {
  readonly file: string | undefined;
  /** The folder of its embedded store. */
  readonly data: string;
  /** The address of the database that replaces the embedded store. */
  readonly database: string | undefined;
  /** The store in words, without secrets. */
  readonly storeName: string;
  /** Its secrets, as configured. Fails if only the gateway's own environment has them, so it is asked for only when needed. */
  secrets(): PepperOptions;
  /** Where clients of this machine reach it. */
  readonly url: string;
  /** Those the file describes; none if it describes them wrongly. */
  readonly accounts: readonly AccountSpec[];
  /** Private places that its file allows webhooks of accounts. */
  readonly webhooksAllow: readonly string[];
  /** Whether its file allows keys to have bodies stored. */
  readonly storesBodies: boolean;
}

/** What the command line says about the store. */
export interface NamedStore {
  readonly data?: string;
  readonly database?: string;
}

const usualFile = 'gateway.yaml';

/** The file a command works with: the one that is named, or the usual one if it is there. */
export function configFileOf(command: Command): string | undefined {
  const { config } = command.optsWithGlobals<{ config?: string }>();
  return config ?? (existsSync(usualFile) ? usualFile : undefined);
}

/**
 * Reads only what a command needs. Mistakes elsewhere in the file, and variables that only the gateway's own
 * environment has, do not keep anyone from listing keys.
 */
export function placeOf(command: Command): NamedGateway {
  const named = command.optsWithGlobals<NamedStore>();
  const file = configFileOf(command);
  const setting = file === undefined ? () => undefined : settingsIn(file);
  const database = databaseOf(named, () => setting('database'));
  const data = named.data === undefined ? folderOf(setting('data'), file) : resolve(named.data);
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
    accounts: configSchema.shape.accounts.safeParse(setting('accounts')).data ?? [],
    webhooksAllow: configSchema.shape.webhooks.safeParse(setting('webhooks')).data?.allow ?? [],
    storesBodies: isRecord(setting('stored_bodies')),
  };
}

/** The database that is meant: the one the command line names; else the configured one, unless a folder is named. */
export function databaseOf({ database, data }: NamedStore, configured: () => unknown): string | undefined {
  const said = database ?? (data === undefined ? configured() : undefined);
  const valid = configSchema.shape.database.safeParse(said);
  if (valid.success) return valid.data;
  const setting = database === undefined ? '`database` in the configuration' : '--database';
  throw new CliError('invalid_database_address', { setting }, { exitCode: 2 });
}

/** What is worth saying where a folder that the command line names keeps the configured database from being used. */
export function passedOver({ data, database }: NamedStore, configured: string | undefined): string | undefined {
  if (data === undefined || database !== undefined || configured === undefined) return undefined;
  return `--data ${data} is used, and not the \`database\` of the configuration (${addressText(configured)}).`;
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

/** Relative to the file that says so. */
function folderOf(said: unknown, file: string | undefined): string {
  const data = configSchema.shape.data.safeParse(said);
  if (!data.success) throw new CliError('config_folder_invalid', { file: file ?? usualFile });
  return resolve(file === undefined ? '.' : dirname(file), data.data);
}

function urlOf(said: unknown): string {
  const listen = configSchema.shape.listen.safeParse(said);
  const { host, port } = listen.success ? listen.data : configSchema.shape.listen.parse(undefined);
  const isEverywhere = host === '0.0.0.0' || host === '::';
  const name = isEverywhere ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
