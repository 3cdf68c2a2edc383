import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AdminParts } from '../../../src/manage/admin/parts.ts';
import { adminRoutes } from '../../../src/manage/admin/routes.ts';
import { type AdminGateway, startAdminGateway } from '../../gateways/admin-gateway.ts';

let gateway: AdminGateway;
// biome-ignore lint: the document is untyped JSON.
let document: any;
beforeAll(async () => {
  gateway = await startAdminGateway();
  document = (await gateway.send('GET', '/admin/v1/openapi.json')).json;
});
afterAll(() => gateway.stop());

test('every route is in the document, and every documented route exists', () => {
  const parts = { current: () => ({ version: '' }) } as unknown as AdminParts;
  const served = adminRoutes(parts)
    .map(({ method, path }) => `${method} ${path.replace(':id', '{id}')}`)
    .filter((route) => route !== 'GET /admin/v1/openapi.json');
  const documented = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item as object).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(documented.toSorted()).toEqual(served.toSorted());
});

test('every reference resolves, and every operation has a unique id and a least role', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map((match) => match[1] ?? '');
  expect(references.length).toBeGreaterThan(100);
  for (const reference of new Set(references)) {
    const target = reference.split('/').reduce((value, step) => value?.[step], document);
    expect(target, reference).toBeDefined();
  }
  // biome-ignore lint: as above.
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item as any)) as any[];
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
  for (const operation of operations) {
    expect(['read-only', 'operator', 'owner', 'account', 'organisation']).toContain(operation['x-least-role']);
    expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['200', '400', '401', '403']));
  }
});

test('path, query and body are described', () => {
  const { parameters } = document.paths['/admin/v1/accounts/{id}/ledger'].get;
  expect(parameters.map(({ name }: { name: string }) => name)).toEqual([
    'id',
    'kind',
    'since',
    'until',
    'limit',
    'cursor',
  ]);
  expect(document.components.schemas.NewKey.required).toEqual(['account', 'name']);
  expect(document.components.schemas.NewUpstream.properties).toHaveProperty('api_key');
});
