import { type FieldCost, fieldsThatCost, type SpendingFormat } from './fields-that-cost.ts';
import { type FieldPath, invalidRequest } from './invalid-request.ts';
import { isObject, listOf, objectOf, type WireObject } from './wire-value.ts';

/** A field with the id or the name that it contains. */
export interface NamingField {
  readonly path: FieldPath;
  readonly name: string;
}

/** The fields of a request that can make a provider spend outside of what its model and its size say. */
export interface Spending {
  /** Fields that name a model. */
  readonly models: readonly NamingField[];
  /** Fields that name something that the provider stores. */
  readonly stored: readonly NamingField[];
  /** Fields that use a right of the operator's account at the provider. */
  readonly rights: readonly FieldPath[];
  /** Whether the provider may summarize the conversation, in calls of their own. */
  readonly compacts: boolean;
}

/** Returns `undefined` for most requests. A body that has such a field, even an empty one, is never sent as it came. */
export function spendingOf(format: SpendingFormat, body: WireObject): Spending | undefined {
  const found: Found[] = [];
  visit(trees[format], body, [], found);
  const compacts = format === 'messages' && hasCompaction(body);
  if (found.length === 0 && !compacts) return undefined;
  const beyond = found[fieldsMax];
  if (beyond) throw invalidRequest([{ path: beyond.path, rule: tooMany }]);
  const named = (cost: FieldCost) =>
    found.flatMap((each) =>
      each.cost === cost && each.name !== undefined ? { path: each.path, name: each.name } : [],
    );
  const rights = found.filter(({ cost, name }) => cost === 'right' && name !== undefined).map(({ path }) => path);
  const stored = named('stored').filter(({ path }) => !isOfProvider(path, body));
  return { models: named('model'), stored, rights, compacts };
}

/** More models, files and sandboxes than one request has a use for. Each is looked up and has its own hold. */
const fieldsMax = 256;
const tooMany = `is one of more than ${fieldsMax} fields that name models or what a provider stores: send fewer`;

/** A skill that the provider offers to all its customers. */
function isOfProvider(path: FieldPath, body: WireObject): boolean {
  if (path.at(-1) !== 'skill_id') return false;
  const skill = path.slice(0, -1).reduce<unknown>((value, step) => Object(value)[step], body);
  return objectOf(skill)?.['type'] === 'anthropic';
}

/** The body with other values at some paths. A field whose value is `undefined` is removed. */
export function withFields(body: WireObject, fields: readonly (readonly [FieldPath, unknown])[]): WireObject {
  return fields.reduce<unknown>((changed, [path, value]) => withField(changed, path, value), body) as WireObject;
}

function withField(value: unknown, [step, ...rest]: FieldPath, field: unknown): unknown {
  if (step === undefined) return field;
  if (Array.isArray(value)) {
    const changed = value.map((each: unknown, at) => (at === step ? withField(each, rest, field) : each));
    return changed.filter((each) => each !== undefined);
  }
  if (!isObject(value)) return value;
  const { [String(step)]: old, ...others } = value;
  const next = withField(old, rest, field);
  // A member keeps its place.
  return next === undefined ? others : { ...value, [String(step)]: next };
}

/** One step of the paths of a table. */
interface PathTree {
  cost: FieldCost | undefined;
  readonly members: Map<string, PathTree>;
  /** The elements of a list. */
  elements: PathTree | undefined;
}

interface Found extends Partial<NamingField> {
  readonly cost: FieldCost;
  readonly path: FieldPath;
}

const trees = Object.fromEntries(
  Object.entries(fieldsThatCost).map(([format, { model, stored, right }]) => {
    const root = newTree();
    for (const [cost, words] of Object.entries({ model, stored, right })) {
      for (const word of words.split(/\s+/).filter(Boolean)) treeAt(root, word).cost = cost as FieldCost;
    }
    return [format, root];
  }),
) as unknown as Readonly<Record<SpendingFormat, PathTree>>;

function newTree(): PathTree {
  return { cost: undefined, members: new Map(), elements: undefined };
}

function treeAt(root: PathTree, path: string): PathTree {
  return (path.match(/[^.[\]]+|\[\]/g) ?? []).reduce((tree, step) => {
    if (step === '[]') return (tree.elements ??= newTree());
    const member = tree.members.get(step) ?? newTree();
    tree.members.set(step, member);
    return member;
  }, root);
}

function visit(tree: PathTree, value: unknown, path: FieldPath, found: Found[]): void {
  const { cost, members, elements } = tree;
  if (cost !== undefined) addField(cost, tree, value, path, found);
  if (elements && Array.isArray(value)) {
    for (const [at, each] of value.entries()) if (each !== null) visit(elements, each, [...path, at], found);
  }
  if (!isObject(value)) return;
  // A provider may take one element for a list of one.
  if (elements) visit(elements, value, path, found);
  for (const [name, member] of members)
    if (Object.hasOwn(value, name)) visit(member, value[name], [...path, name], found);
}

/** An object is named by its members, if the table has them. */
function addField(cost: FieldCost, tree: PathTree, value: unknown, path: FieldPath, found: Found[]): void {
  if (value === null || value === undefined) found.push({ cost, path });
  else if (typeof value === 'string') found.push({ cost, path, name: value });
  else if (typeof value !== 'object') found.push({ cost, path, name: JSON.stringify(value) });
  else if (tree.members.size === 0 && tree.elements === undefined) found.push({ cost, path, name: '' });
}

function hasCompaction(body: WireObject): boolean {
  const edits = listOf(objectOf(body['context_management'])?.['edits']);
  return edits.some((edit) => String(objectOf(edit)?.['type']).startsWith('compact'));
}
