/** A document as the form was filled from, as the user changed it, and as it is stored now. */
export interface Versions {
  readonly base: unknown;
  readonly mine: unknown;
  readonly theirs: unknown;
}

export type Side = 'mine' | 'theirs';

/**
 * How a list is merged, by its path: as a set, or element by element, with a function that returns the identity of an
 * element. Every other list is one value.
 */
export type ListRules = Readonly<Record<string, 'set' | ((element: Readonly<Record<string, unknown>>) => string)>>;

/** A change that only the other side made. */
export interface TakenChange {
  readonly path: string;
  readonly value: unknown;
}

/** A field that both sides changed, to different values. */
export interface FieldConflict {
  readonly path: string;
  readonly mine: unknown;
  readonly theirs: unknown;
}

export interface Merge {
  readonly merged: unknown;
  readonly taken: readonly TakenChange[];
  readonly conflicts: readonly FieldConflict[];
}

interface MergeOptions {
  readonly lists?: ListRules | undefined;
  /** The chosen side of a conflict, by its path. Default: mine. */
  readonly choices?: Readonly<Record<string, Side>> | undefined;
}

/** Merges two changes of a document field by field. A missing field equals null. */
export function merge(versions: Versions, { lists = {}, choices = {} }: MergeOptions = {}): Merge {
  const taken: TakenChange[] = [];
  const conflicts: FieldConflict[] = [];
  const merged = mergeValue('', versions, {
    ruleAt: (path) => lists[path],
    take: (path, value) => {
      taken.push({ path, value });
      return value;
    },
    choose: (path, mine, theirs) => {
      conflicts.push({ path, mine, theirs });
      return choices[path] === 'theirs' ? theirs : mine;
    },
  });
  return { merged, taken, conflicts };
}

interface Decisions {
  readonly ruleAt: (path: string) => ListRules[string] | undefined;
  readonly take: (path: string, theirs: unknown) => unknown;
  readonly choose: (path: string, mine: unknown, theirs: unknown) => unknown;
}

type Fields = Readonly<Record<string, unknown>>;

function mergeValue(path: string, versions: Versions, decisions: Decisions): unknown {
  const { base, mine, theirs } = versions;
  if (isEqual(mine, theirs)) return mine;
  if (isFields(mine) && isFields(theirs) && (isFields(base) || isNothing(base))) {
    return mergeFields(path, { base: base ?? {}, mine, theirs }, decisions);
  }
  const list = mergeList(path, versions, decisions);
  if (list !== undefined) return list;
  if (isEqual(base, theirs)) return mine;
  if (isEqual(base, mine)) return decisions.take(path, theirs);
  return decisions.choose(path, mine, theirs);
}

interface FieldVersions {
  readonly base: Fields;
  readonly mine: Fields;
  readonly theirs: Fields;
}

function mergeFields(path: string, { base, mine, theirs }: FieldVersions, decisions: Decisions): Fields {
  const names = [...new Set([...Object.keys(theirs), ...Object.keys(mine)])];
  const merged = names.map((name) => {
    const at = path === '' ? name : `${path}.${name}`;
    const field = { base: base[name], mine: mine[name], theirs: theirs[name] };
    return [name, mergeValue(at, field, decisions)] as const;
  });
  return Object.fromEntries(merged.filter(([, value]) => value !== undefined));
}

interface ListVersions {
  readonly base: readonly unknown[];
  readonly mine: readonly unknown[];
  readonly theirs: readonly unknown[];
}

/** Undefined if the list has no rule, or the rule does not fit. The list is then one value. */
function mergeList(path: string, versions: Versions, decisions: Decisions): readonly unknown[] | undefined {
  const rule = decisions.ruleAt(path);
  if (rule === undefined || !isLists(versions)) return undefined;
  if (rule === 'set') return mergeSet(path, versions, decisions);
  if (!Object.values(versions).every((list: readonly unknown[]) => list.every(isFields))) return undefined;
  const keyed = (list: readonly unknown[]) => new Map((list as readonly Fields[]).map((each) => [rule(each), each]));
  const { base, mine, theirs } = versions;
  const maps = { base: keyed(base), mine: keyed(mine), theirs: keyed(theirs) };
  const isUnique =
    maps.base.size === base.length && maps.mine.size === mine.length && maps.theirs.size === theirs.length;
  return isUnique ? mergeElements(path, maps, decisions) : undefined;
}

/** Undefined if the changes together would leave nothing: an empty list often means "all". */
function mergeSet(path: string, { base, mine, theirs }: ListVersions, decisions: Decisions) {
  const removed = base.filter((each) => !mine.includes(each));
  const added = mine.filter((each) => !base.includes(each) && !theirs.includes(each));
  const merged = [...theirs.filter((each) => !removed.includes(each)), ...added];
  if (merged.length === 0 && mine.length > 0 && theirs.length > 0) return undefined;
  const isChanged = theirs.length !== base.length || theirs.some((each) => !base.includes(each));
  if (isChanged) decisions.take(path, theirs);
  return merged;
}

interface ElementMaps {
  readonly base: ReadonlyMap<string, Fields>;
  readonly mine: ReadonlyMap<string, Fields>;
  readonly theirs: ReadonlyMap<string, Fields>;
}

/** Undefined if both sides changed the order. */
function mergeElements(path: string, maps: ElementMaps, decisions: Decisions): readonly unknown[] | undefined {
  const { base, mine, theirs } = maps;
  const orderOf = (map: ReadonlyMap<string, Fields>) =>
    [...map.keys()].filter((key) => base.has(key) && mine.has(key) && theirs.has(key));
  const [first, own, other] = [orderOf(base), orderOf(mine), orderOf(theirs)];
  const isOwnMoved = !isEqual(first, own);
  if (isOwnMoved && !isEqual(first, other) && !isEqual(own, other)) return undefined;
  const keys = [...new Set(isOwnMoved ? [...mine.keys(), ...theirs.keys()] : [...theirs.keys(), ...mine.keys()])];
  const positions = [...new Set([...mine.keys(), ...theirs.keys()])];
  return keys.flatMap((key) => {
    const element = { base: base.get(key), mine: mine.get(key), theirs: theirs.get(key) };
    return mergeValue(`${path}.${positions.indexOf(key)}`, element, decisions) ?? [];
  });
}

function isLists(versions: Versions): versions is ListVersions {
  return Array.isArray(versions.base) && Array.isArray(versions.mine) && Array.isArray(versions.theirs);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isNothing(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

/** Compares JSON values. A missing field equals null. */
export function isEqual(one: unknown, other: unknown): boolean {
  if (one === other || (isNothing(one) && isNothing(other))) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((each, index) => isEqual(each, other[index]));
  }
  if (!isFields(one) || !isFields(other)) return false;
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].every((name) => isEqual(one[name], other[name]));
}
