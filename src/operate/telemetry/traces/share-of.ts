/** Hashes an id to a number from 0 to 1, evenly distributed. So sampling by an id is repeatable. */
export function sampleFraction(id: string): number {
  let hash = 2_166_136_261;
  for (let index = 0; index < id.length; index += 1) hash = Math.imul(hash ^ id.charCodeAt(index), 16_777_619);
  // Mixes the bits: without this, the last characters change mostly the lowest bits.
  hash = Math.imul(hash ^ (hash >>> 15), 2_246_822_519);
  return ((hash ^ (hash >>> 13)) >>> 0) / 2 ** 32;
}
