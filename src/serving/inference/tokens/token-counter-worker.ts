import { parentPort } from 'node:worker_threads';
import { countTokens, setMergeCacheSize } from 'gpt-tokenizer/encoding/o200k_base';
import { tokenPieces } from './token-pieces.ts';

/** Maximum number of words in the merge cache. A hostile word is as long as a piece. */
const knownWordsMax = 10_000;

setMergeCacheSize(knownWordsMax);

parentPort?.on('message', (texts: readonly string[]) => parentPort?.postMessage(texts.map(tokensIn)));
parentPort?.postMessage('ready');

function tokensIn(text: string): number {
  let tokens = 0;
  for (const piece of tokenPieces(text)) tokens += countTokens(piece, { allowedSpecial: 'all' });
  return tokens;
}
