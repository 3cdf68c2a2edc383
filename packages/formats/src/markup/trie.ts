import type { Cursor, Parse } from './cursor.ts';

interface Node<Item> {
  readonly next: Map<number, Node<Item>>;
  readonly items: Item[];
}

export interface TrieMatch<Item> {
  readonly length: number;
  readonly items: readonly Item[];
}

/** Searches for many literals at once, at the cost of the one that matches. */
export class Trie<Item> {
  readonly #root: Node<Item> = { next: new Map(), items: [] };

  add(literal: string, item: Item): void {
    let node = this.#root;
    for (let at = 0; at < literal.length; at++) {
      const code = literal.charCodeAt(at);
      const next: Node<Item> = node.next.get(code) ?? { next: new Map(), items: [] };
      node.next.set(code, next);
      node = next;
    }
    node.items.push(item);
  }

  /** Whether one of the literals is empty and so matches everywhere. */
  get isAnywhere(): boolean {
    return this.#root.items.length > 0;
  }

  get firsts(): readonly number[] {
    return [...this.#root.next.keys()];
  }

  /** Returns every literal at an offset from the cursor, the longest first. */
  *find(cursor: Cursor, offset: number): Parse<readonly TrieMatch<Item>[]> {
    const { items } = this.#root;
    const found: TrieMatch<Item>[] = items.length > 0 ? [{ length: 0, items }] : [];
    let node = this.#root;
    for (let length = 0; node.next.size > 0; length++) {
      while (cursor.at + offset + length >= cursor.text.length) {
        if (cursor.isEnded) return found;
        yield;
      }
      cursor.steps++;
      const next = node.next.get(cursor.text.charCodeAt(cursor.at + offset + length));
      if (!next) break;
      node = next;
      if (node.items.length > 0) found.unshift({ length: length + 1, items: node.items });
    }
    return found;
  }
}
