/** A number from 0 to 1 that an id always has and that many ids have evenly: what decides by it decides the same again. */
export function shareOf(id: string): number {
  let hash = 2_166_136_261;
  for (let index = 0; index < id.length; index += 1) hash = Math.imul(hash ^ id.charCodeAt(index), 16_777_619);
  // The last characters would move the lowest bits most.
  hash = Math.imul(hash ^ (hash >>> 15), 2_246_822_519);
  return ((hash ^ (hash >>> 13)) >>> 0) / 2 ** 32;
}
