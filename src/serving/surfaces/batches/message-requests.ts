import { createHash, type Hash } from 'node:crypto';
import { z } from 'zod';
import type { Caller } from '../../../core/caller.ts';
import type { GatewayError } from 'chat-formats/gateway-error.ts';
import { membersOf, onOneLine } from 'chat-formats/json/json-splice.ts';
import { ListError, ListReader } from 'chat-formats/json/list-reader.ts';
import type { FileWriter } from '../../../work/files/file-writer.ts';
import { checkJsonHeaders, parseJson, unparseable } from '../../http/body/json-body.ts';
import type { Exchange } from '../../http/exchange.ts';
import { HttpFault } from '../../http/fault.ts';
import type { HttpLimits } from '../../http/limits.ts';
import { invalid } from '../files/upload.ts';
import type { BatchRouteParts } from './batches.ts';

const requestsMax = 100_000;

const schema = z.object({
  custom_id: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, 'must have 1 to 64 letters, digits, _ and -'),
  params: z.record(z.string(), z.unknown()),
});

export interface WrittenRequests {
  readonly inputFileId: string;
  readonly lines: number;
  /** Of the body. */
  readonly digest: string;
}

/**
 * Writes the requests of a message batch to a file of lines while they arrive, with the memory of one request. An error
 * names the index of the request. The file is discarded if a request is invalid or the client disconnects.
 */
export async function writeRequests(
  { files, messageBatchLimits }: BatchRouteParts,
  { key: { accountId, keyId } }: Caller,
  exchange: Exchange,
): Promise<WrittenRequests> {
  checkJsonHeaders(exchange.header('content-type'), exchange.header('content-encoding'));
  const { messageBatchBytesMax, requests: requestLimits } = messageBatchLimits();
  const ids = new Set<string>();
  const hash = createHash('sha256');
  let writer: FileWriter | undefined;
  try {
    const pieces = hashed(exchange.readPieces({ bytesMax: messageBatchBytesMax }), hash);
    for await (const text of requestTexts(pieces, requestLimits)) {
      const index = ids.size;
      if (index === requestsMax) throw invalid(`requests has more than ${requestsMax} requests. Send several batches.`);
      const { custom_id: customId } = await requestIn(text, index, requestLimits);
      if (ids.has(customId)) throw atRequest(index, 'custom_id', 'an earlier request has the same custom_id.');
      ids.add(customId);
      writer ??= await files.create({
        accountId,
        keyId,
        purpose: 'batch',
        filename: 'requests.jsonl',
        keepMs: null,
        state: 'internal',
        bytesMax: Number.POSITIVE_INFINITY,
      });
      const line = Buffer.from(lineOf(customId, membersOf(text).get('params') ?? ''));
      if (line.length > requestLimits.bodyBytesMax) throw atRequest(index, '', tooLong(requestLimits));
      await writer.add(line);
    }
    if (!writer) throw invalid('requests: Send at least one request.');
    const { id: inputFileId } = await writer.end();
    return { inputFileId, lines: ids.size, digest: hash.digest('base64url') };
  } catch (error) {
    await writer?.discard().catch(() => undefined);
    throw error;
  }
}

async function* hashed(pieces: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    hash.update(piece);
    yield piece;
  }
}

async function* requestTexts(pieces: AsyncIterable<Buffer>, limits: HttpLimits): AsyncGenerator<string> {
  const reader = new ListReader('requests', { depthMax: limits.jsonDepthMax, charactersMax: limits.bodyBytesMax });
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const decoded = (piece?: Buffer): string => {
    try {
      return piece ? decoder.decode(piece, { stream: true }) : decoder.decode();
    } catch {
      throw unparseable('The request body is not valid UTF-8.');
    }
  };
  try {
    for await (const piece of pieces) yield* reader.push(decoded(piece));
    yield* reader.push(decoded());
    reader.end();
  } catch (error) {
    if (!(error instanceof ListError)) throw error;
    const { index, message } = error;
    throw unparseable(index === undefined ? `The request body ${message}.` : `requests.${index} ${message}.`);
  }
}

async function requestIn(text: string, index: number, limits: HttpLimits): Promise<z.output<typeof schema>> {
  const parsed = await parseJson(Buffer.from(text), limits).catch((error: unknown) => {
    throw error instanceof HttpFault ? new HttpFault(error.kind, `requests.${index}: ${error.message}`) : error;
  });
  const result = schema.safeParse(parsed.value);
  if (!result.success) {
    const [issue] = result.error.issues;
    throw atRequest(index, issue?.path.join('.') ?? '', `${issue?.message ?? 'invalid'}.`);
  }
  return result.data;
}

/** `params` stay as they were sent. The letters of an id need no escape. */
function lineOf(customId: string, params: string): string {
  return `{"custom_id":"${customId}","method":"POST","url":"/v1/messages","body":${onOneLine(params)}}\n`;
}

function atRequest(index: number, field: string, problem: string): GatewayError {
  return invalid(`requests.${index}${field === '' ? '' : `.${field}`}: ${problem}`);
}

function tooLong({ bodyBytesMax }: HttpLimits): string {
  return `the request is larger than ${bodyBytesMax} bytes. Send a smaller one.`;
}
