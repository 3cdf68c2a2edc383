/** Maps each call id to one with the characters the format allows. A call and its result get the same id. */
export function toolIds(): (id: string) => string {
  const given = new Map<string, string>();
  const taken = new Set<string>();
  return (id) => {
    const known = given.get(id);
    if (known !== undefined) return known;
    const plain = id.replaceAll(/[^A-Za-z0-9_-]/g, '_') || 'call';
    let free = plain;
    for (let number = 2; taken.has(free); number++) free = `${plain}_${number}`;
    given.set(id, free);
    taken.add(free);
    return free;
  };
}
