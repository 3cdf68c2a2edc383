/** Appends items one by one. `push(...items)` has an argument limit, which large answers and requests reach. */
export function append<Item>(list: Item[], items: readonly Item[]): void {
  for (const item of items) list.push(item);
}
