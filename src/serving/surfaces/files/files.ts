import type { Batches } from '../../../work/batches/batches.ts';
import type { Caller } from '../../../core/caller.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { FileRow } from '../../../work/files/file-writer.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { Route } from '../../http/route.ts';
import { bearerSecret, callerOf } from '../caller.ts';
import type { SurfaceParts } from '../conversation.ts';
import { invalid, upload, type UploadParts } from './upload.ts';

type FileRouteParts = SurfaceParts & UploadParts & { readonly batches: Pick<Batches, 'isInUse'> };

const limitMax = 10_000;

/** `/v1/files`: the files of the key's account. */
export function fileRoutes(parts: FileRouteParts): readonly Route[] {
  const { files } = parts;
  const path = '/v1/files';
  const caller = (exchange: Exchange): Promise<Caller> => callerOf(parts, exchange, bearerSecret);
  const fileOf = async (exchange: Exchange, id = ''): Promise<FileRow> => {
    const { key } = await caller(exchange);
    const file = await files.find(key.accountId, id);
    if (!file) throw fileNotFound();
    return file;
  };
  return [
    {
      method: 'POST',
      path,
      handle: async (exchange) => exchange.json(200, encodeFile(await upload(parts, await caller(exchange), exchange))),
    },
    {
      method: 'GET',
      path,
      handle: async (exchange) => {
        const { key } = await caller(exchange);
        const { query } = exchange;
        const limit = limitIn(query, { max: limitMax, unlessSaid: limitMax });
        const order = query.get('order') ?? 'desc';
        if (order !== 'asc' && order !== 'desc') throw invalid('order must be asc or desc.');
        const [purpose, after] = [query.get('purpose') ?? undefined, query.get('after') ?? undefined];
        const rows = await files.list(key.accountId, { purpose, after, order, limit });
        exchange.json(200, listOf(rows.map(encodeFile), limit));
      },
    },
    {
      method: 'GET',
      path: `${path}/:id`,
      handle: async (exchange, { id }) => exchange.json(200, encodeFile(await fileOf(exchange, id))),
    },
    {
      method: 'GET',
      path: `${path}/:id/content`,
      handle: async (exchange, { id }) => {
        const file = await fileOf(exchange, id);
        await sendPieces(exchange, 'application/octet-stream', files.content(file));
      },
    },
    {
      method: 'DELETE',
      path: `${path}/:id`,
      handle: async (exchange, { id = '' }) => {
        const { key } = await caller(exchange);
        if (!(await files.find(key.accountId, id))) throw fileNotFound();
        if (await parts.batches.isInUse(id)) {
          const detail =
            'A batch in progress reads this file. Delete it when the batch has ended, or cancel the batch.';
          throw new GatewayError('conflict', { detail });
        }
        if (!(await files.remove(key.accountId, id))) throw fileNotFound();
        exchange.json(200, { id, object: 'file', deleted: true });
      },
    },
  ];
}

/**
 * Sends bytes as they are read, no faster than the client takes them. An error throws and closes the connection, so that
 * a client cannot take half a file for a whole one.
 */
export async function sendPieces(
  exchange: Exchange,
  contentType: string,
  pieces: AsyncIterable<Buffer>,
): Promise<void> {
  let writer: ReturnType<Exchange['openEventStream']> | undefined;
  let drained = (): void => {};
  exchange.gone.addEventListener('abort', () => drained(), { once: true });
  for await (const piece of pieces) {
    if (exchange.gone.aborted) return;
    if (!writer) {
      writer = exchange.openEventStream(contentType);
      writer.onDrain(() => drained());
    }
    const isBehind = !writer.write(piece.toString('latin1'));
    if (isBehind && !exchange.gone.aborted) await new Promise<void>((resolve) => (drained = resolve));
  }
  if (writer) writer.end();
  else exchange.send(200, contentType, '');
}

function encodeFile(file: FileRow) {
  const expiresAt = file.expires_at;
  return {
    id: file.id,
    object: 'file',
    bytes: file.bytes,
    created_at: Math.floor(file.created_at / 1000),
    ...(expiresAt !== null && { expires_at: Math.floor(expiresAt / 1000) }),
    filename: file.filename,
    purpose: file.purpose,
    status: 'processed',
  };
}

/** A page of rows of which one more than the limit was read. */
export function listOf<Entry extends { readonly id: string }>(rows: readonly Entry[], limit: number) {
  const data = rows.slice(0, limit);
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: rows.length > limit,
  };
}

export function limitIn(query: URLSearchParams, bounds: { readonly max: number; readonly unlessSaid: number }): number {
  const text = query.get('limit');
  if (text === null) return bounds.unlessSaid;
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= bounds.max) return limit;
  throw invalid(`limit must be an integer from 1 to ${bounds.max}.`);
}

function fileNotFound(): GatewayError {
  return new GatewayError('not-found', {
    detail: 'No file of this account has this id: it was deleted or has expired.',
  });
}
