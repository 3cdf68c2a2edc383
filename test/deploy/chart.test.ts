import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { z } from 'zod';
import { afterGraceMs } from '../../src/app/shutdown.ts';
import { configOf, filesIn, readText, readYaml } from './definitions.ts';

const chart = 'deploy/helm/chat-gateway';
const values = readYaml(`${chart}/values.yaml`);
const schema = z.fromJSONSchema(JSON.parse(readText(`${chart}/values.schema.json`)));
const examples = filesIn(`${chart}/examples/*.yaml`);
const templates = filesIn(`${chart}/templates/*`);

test('the chart has the version of the program', () => {
  const { version } = JSON.parse(readText('package.json'));
  expect(readYaml(`${chart}/Chart.yaml`)).toMatchObject({ version, appVersion: version });
});

test('the schema rejects a misspelt value', () => {
  expect(schema.safeParse({ ...values, replicas: 2 }).success).toBe(false);
  expect(schema.safeParse({ ...values, ingress: { ...values.ingress, host: 'x' } }).success).toBe(false);
});

test('the schema rejects a shutdown_grace that is not a duration, and accepts an environment variable', () => {
  const fits = (shutdown_grace: unknown) =>
    schema.safeParse({ ...values, config: { ...values.config, shutdown_grace } }).success;
  expect(['600s', '500ms', '10m', '1d', '${GRACE}'].map(fits)).toEqual([true, true, true, true, true]);
  expect(['soon', '10 m', '1h30m', 600].map(fits)).toEqual([false, false, false, false]);
});

test('the templates reject a termination grace period that is too short, and equal ports', () => {
  const helpers = readText(`${chart}/templates/_helpers.tpl`);
  const [, check = ''] = /define "gateway.check" -}}([^]*?)\n{{- end -}}\n*$/.exec(helpers) ?? [];
  expect(check).toContain('include "gateway.checkGrace"');
  expect(check).toContain('eq (int .Values.ports.http) (int .Values.ports.health)');
  // The seconds that the process may take after its grace period.
  expect(helpers).toContain(`(int64 .Values.preStopSeconds) ${afterGraceMs / 1000} -}}`);
  const opened = helpers.match(/{{- (?:define|if) /g)?.length;
  expect(helpers.match(/{{- end -}}/g)).toHaveLength(opened ?? 0);
});

test('every value that a template uses is defined, and every defined value is used', () => {
  const used = templates.flatMap((file) =>
    [...readText(file).matchAll(/\.Values\.([\w.]+)/g)].map(([, path]) => path!),
  );
  const valueAt = (path: string) => path.split('.').reduce((at, name) => at?.[name], values);
  const configured = (path: string) => path.startsWith('config.');
  expect(used.filter((path) => !configured(path) && valueAt(path) === undefined)).toEqual([]);
  const names = new Set(used.map((path) => path.split('.')[0]));
  expect(Object.keys(values).filter((name) => !names.has(name))).toEqual([]);
});

describe.each([`${chart}/values.yaml`, ...examples])('%s', (file) => {
  const given = readYaml(file);
  const all = merged(values, given);

  test('matches the schema', () => expect(schema.safeParse(given).error).toBeUndefined());

  test('produces a configuration that the gateway accepts', () => {
    const listen = { ...all.config.listen, port: all.ports.http, health_port: all.ports.health };
    const text = stringify({ ...all.config, listen, data: '/data' });
    const config = configOf(
      text,
      [...readText(file).matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name!),
    );
    expect(config.listen.healthPort).toBe(8081);
    expect(all.terminationGracePeriodSeconds * 1000).toBeGreaterThanOrEqual(
      config.shutdownGrace + all.preStopSeconds * 1000 + afterGraceMs,
    );
    expect(all.ports.http).not.toBe(all.ports.health);
  });

  test('has a shared database for several gateways, and only one source of secrets', () => {
    const isAlone = all.replicaCount <= 1 && !all.autoscaling.enabled;
    expect(isAlone || all.config.database !== undefined).toBe(true);
    expect(all.existingSecret !== '' && Object.keys(all.secret).length > 0).toBe(false);
  });
});

/** Merges values as helm does: objects are merged, everything else is replaced. */
// oxlint-disable-next-line typescript/no-explicit-any
function merged(under: any, over: any): any {
  const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject(under) || !isObject(over)) return over ?? under;
  const names = new Set([...Object.keys(under), ...Object.keys(over)]);
  return Object.fromEntries([...names].map((name) => [name, merged(under[name], over[name])]));
}
