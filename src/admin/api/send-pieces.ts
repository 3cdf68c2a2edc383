import type { Exchange } from '../../http/exchange.ts';

/**
 * Sends a text while it is generated, with backpressure: no piece is requested before the previous one was sent.
 * An error throws and closes the connection, so that a client cannot take half a table for a whole one.
 */
export async function sendPieces(exchange: Exchange, pieces: AsyncIterable<string>, type: string): Promise<void> {
  const writer = exchange.openEventStream(`${type}; charset=utf-8`);
  const disconnected = Promise.withResolvers<void>();
  if (exchange.gone.aborted) return;
  exchange.gone.addEventListener('abort', () => disconnected.resolve(), { once: true });
  let drained = Promise.withResolvers<void>();
  writer.onDrain(() => drained.resolve());
  for await (const piece of pieces) {
    if (exchange.gone.aborted) return;
    drained = Promise.withResolvers<void>();
    // With a content type, the stream encodes text as latin1: one byte per character.
    const isFlowing = writer.write(Buffer.from(piece, 'utf8').toString('latin1'));
    if (!isFlowing) await Promise.race([drained.promise, disconnected.promise]);
  }
  writer.end();
}
