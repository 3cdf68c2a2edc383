import type { Catalog } from '../catalog/catalog.ts';
import { assert } from '../core/assert.ts';
import type { Caller, KeyHolder } from '../core/caller.ts';
import type { Model, SurfaceTag } from '../core/model.ts';
import type { PassThroughEndpoint } from '../core/pass-through-endpoint.ts';

/** A model that somebody has asked for, and where. */
interface AccessRequest {
  readonly catalog: Catalog;
  readonly model: Model;
  readonly on: SurfaceTag | PassThroughEndpoint;
}

/** Refuses a model that the key, as it is now, may not use: it may have been changed since the request came. */
export function requireStill(caller: Caller, key: KeyHolder, { catalog, model, on }: AccessRequest): void {
  const { accountId, keyId } = caller.key;
  assert(key.keyId === keyId && key.accountId === accountId, 'a key never changes hands');
  catalog.require({ ...caller, key }, model.id, on);
}

/**
 * The same for a request whose place has come, where there was news of its key while it waited. Who has not waited is not
 * asked, and who has and of whose key nothing was heard costs one look at what is in memory.
 */
export function admission(
  { caller, again }: { readonly caller: Caller; readonly again?: (() => Promise<KeyHolder> | undefined) | undefined },
  wanted: AccessRequest,
): (() => Promise<void> | undefined) | undefined {
  return again && (() => again()?.then((key) => requireStill(caller, key, wanted)));
}
