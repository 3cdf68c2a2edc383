import { createContext, type ReactNode, use, useState } from 'react';
import classes from './live.module.css';

/** Colour and pattern of an account in the pictures. The pattern distinguishes accounts without colour vision. */
interface AccountLook {
  readonly colour: number;
  readonly pattern: number;
}

const colours = 8;
const patterns = 5;

const LooksContext = createContext<ReadonlyMap<string, AccountLook>>(new Map());

/**
 * Gives each account its look: the same at every upstream and at every visit, since the id decides. An account whose
 * look is taken by another one gets the next free look, and keeps it while the page is open.
 */
export function AccountLooks({ ids, children }: { readonly ids: readonly string[]; readonly children: ReactNode }) {
  const [looks, setLooks] = useState<ReadonlyMap<string, AccountLook>>(new Map());
  const known = withLooks(looks, ids);
  if (known !== looks) setLooks(known);
  return <LooksContext value={known}>{children}</LooksContext>;
}

/** More accounts than a person distinguishes. Beyond it, the page forgets the looks. */
const looksMax = 500;

function withLooks(looks: ReadonlyMap<string, AccountLook>, ids: readonly string[]): ReadonlyMap<string, AccountLook> {
  const missing = ids.filter((id) => !looks.has(id));
  if (missing.length === 0) return looks;
  const all = new Map(looks.size > looksMax ? [] : looks);
  const taken = new Set([...all.values()].map(numberOf));
  for (const id of missing) {
    let number = hashOf(id) % (colours * patterns);
    for (let tries = 0; taken.has(number) && tries < colours * patterns; tries += 1) {
      number = (number + 1) % (colours * patterns);
    }
    taken.add(number);
    all.set(id, { colour: number % colours, pattern: Math.floor(number / colours) });
  }
  return all;
}

function numberOf({ colour, pattern }: AccountLook): number {
  return pattern * colours + colour;
}

/** FNV-1a: spreads ids that differ in one character. */
function hashOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < id.length; index += 1) hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}

/** The attributes of an element in the look of an account. Undefined: the remaining accounts, in grey. */
export function useLook(id: string | undefined) {
  const look = use(LooksContext).get(id ?? '');
  return { className: classes['look'], 'data-colour': look?.colour, 'data-pattern': look?.pattern };
}

/** A small square in the look of an account, next to its name. */
export function Swatch({ id }: { readonly id: string | undefined }) {
  const { className, ...look } = useLook(id);
  return <span className={`${className} ${classes['swatch']}`} {...look} aria-hidden="true" />;
}
