import type { Context } from './context.ts';
import { hidden } from './redaction.ts';
import { describe } from './wording.ts';

/** Thrown if checks cannot test anything: the deployment refuses the key, or the model fails. */
export class Unusable extends Error {
  readonly status: number;
  /** The model that fails. `undefined`: the key is refused. */
  readonly model: string | undefined;

  constructor(message: string, status: number, model?: string) {
    super(message);
    this.name = 'Unusable';
    this.status = status;
    this.model = model;
  }
}

/** Throws `Unusable` unless the deployment accepts the key and, if `withChat`, answers a simple request. */
export async function requireUsable(context: Context, { withChat }: { readonly withChat: boolean }): Promise<void> {
  const { catalog, candidates, key, post } = context;
  const { status } = catalog.reply;
  if (status === 401 || status === 403) throw new Unusable(hidden(describe(catalog.reply), key), status);
  const [model] = candidates;
  if (!withChat || model === undefined) return;
  // The checks of the stream use the same request, so the run does not send it again.
  const reply = await post({ stream: true });
  if (reply.status >= 400) throw new Unusable(hidden(describe(reply), key), reply.status, model);
}
