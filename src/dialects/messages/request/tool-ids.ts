/** Maps each call id to one with the characters the format allows. A call and its result get the same id. */
export function toolIds(): (id: string) => string {
  const assigned = new Map<string, string>();
  const used = new Set<string>();
  return (id) => {
    const known = assigned.get(id);
    if (known !== undefined) return known;
    const valid = id.replaceAll(/[^A-Za-z0-9_-]/g, '_') || 'call';
    let unused = valid;
    for (let number = 2; used.has(unused); number++) unused = `${valid}_${number}`;
    assigned.set(id, unused);
    used.add(unused);
    return unused;
  };
}
