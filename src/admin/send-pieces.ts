import type { Exchange } from '../http/exchange.ts';

/**
 * Sends a text as it is made, at the pace of whoever reads it: no piece is asked for before the one before has gone out.
 * What fails on the way throws, and the connection is cut: nobody shall take half a table for a whole one.
 */
export async function sendPieces(exchange: Exchange, pieces: AsyncIterable<string>, type: string): Promise<void> {
  const writer = exchange.openEventStream(`${type}; charset=utf-8`);
  const left = Promise.withResolvers<void>();
  if (exchange.gone.aborted) return;
  exchange.gone.addEventListener('abort', () => left.resolve(), { once: true });
  let room = Promise.withResolvers<void>();
  writer.onDrain(() => room.resolve());
  for await (const piece of pieces) {
    if (exchange.gone.aborted) return;
    room = Promise.withResolvers<void>();
    // A stream of its own kind takes a character for a byte.
    const isFlowing = writer.write(Buffer.from(piece, 'utf8').toString('latin1'));
    if (!isFlowing) await Promise.race([room.promise, left.promise]);
  }
  writer.end();
}
