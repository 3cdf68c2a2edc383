/** Adds items to a list one by one: handing on all of them at once has a limit, which large answers and requests reach. */
export function append<Item>(list: Item[], items: readonly Item[]): void {
  for (const item of items) list.push(item);
}
