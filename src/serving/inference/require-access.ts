import type { Catalog } from '../../money/catalog/catalog.ts';
import { assert } from 'chat-formats/assert.ts';
import type { Caller, KeyHolder } from '../../core/caller.ts';
import type { NamedModel } from 'chat-formats/chat/chat-request.ts';
import type { Model, SurfaceTag } from 'chat-formats/chat/model.ts';
import type { PassThroughEndpoint } from 'chat-formats/chat/pass-through-endpoint.ts';

/** A model, and the surface or endpoint it is requested on. */
interface AccessRequest {
  readonly catalog: Catalog;
  readonly model: Model;
  readonly on: SurfaceTag | PassThroughEndpoint;
  /** Other models that the request names. */
  readonly named?: readonly NamedModel[] | undefined;
}

/** Throws if the key, in its current state, may not use the model. It may have changed since the request arrived. */
export function requireAccess(caller: Caller, key: KeyHolder, { catalog, model, on, named = [] }: AccessRequest): void {
  const { accountId, keyId } = caller.key;
  assert(key.keyId === keyId && key.accountId === accountId, 'a key never changes its account');
  catalog.require({ ...caller, key }, model.id, on);
  for (const other of named) catalog.require({ ...caller, key }, other.model.id);
}

/**
 * The same check for a request that got a slot after a wait. It runs only if the key changed meanwhile; otherwise it
 * costs one look-up in memory.
 */
export function admissionCheck(
  {
    caller,
    reloadKey,
  }: { readonly caller: Caller; readonly reloadKey?: (() => Promise<KeyHolder> | undefined) | undefined },
  access: AccessRequest,
): (() => Promise<void> | undefined) | undefined {
  return reloadKey && (() => reloadKey()?.then((key) => requireAccess(caller, key, access)));
}
