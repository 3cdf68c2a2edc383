import { type JsonSchema, referenceName } from './component-schemas.ts';

export interface DocumentedField {
  /** The path of the field inside its group, such as `function.` */
  readonly path: string;
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly limits: readonly string[];
  readonly default: unknown;
  readonly description: string;
}

/** The first group is the schema itself; list elements and named shapes have their own groups. */
export interface FieldGroup {
  readonly title: string | undefined;
  readonly fields: readonly DocumentedField[];
}

type Schemas = Readonly<Record<string, JsonSchema>>;

interface FieldSource {
  readonly title: string | undefined;
  readonly parentPath: string;
  readonly shape: JsonSchema;
}

/** All fields of a schema, outer shapes before inner ones, each shape once. */
export function fieldGroups(schema: JsonSchema, schemas: Schemas): readonly FieldGroup[] {
  const found: FieldSource[] = [{ title: undefined, parentPath: '', shape: resolve(schema, schemas) }];
  const groups = new Map<string, FieldGroup>();
  // The list grows during the loop. The loop ends because each title is described only once.
  for (const { title, parentPath, shape } of found) {
    const key = title ?? '';
    if (groups.has(key)) continue;
    const fields: DocumentedField[] = [];
    groups.set(key, { title, fields });
    describe(shape, parentPath, '', { fields, found, schemas });
  }
  return [...groups.values()].filter(({ fields }) => fields.length > 0);
}

interface FieldOutput {
  readonly fields: DocumentedField[];
  readonly found: FieldSource[];
  readonly schemas: Schemas;
}

/** Adds the fields of a shape to a group. Nested objects join the group; lists and named shapes are queued. */
function describe(shape: JsonSchema, parentPath: string, path: string, output: FieldOutput): void {
  for (const [name, property] of requiredFirst(shape)) {
    const inner = `${parentPath}${path}${name}`;
    const alternatives = alternativesOf(property);
    const described = field(path, name, property, shape.required?.includes(name) ?? false);
    const object = alternatives.find(({ properties }) => properties !== undefined);
    if (described.description !== '' || !object) output.fields.push(described);
    if (object) describe(object, parentPath, `${path}${name}.`, output);
    output.found.push(...alternatives.flatMap((alternative) => furtherShapes(inner, alternative, output.schemas)));
  }
}

function furtherShapes(parentPath: string, alternative: JsonSchema, schemas: Schemas): FieldSource[] {
  const name = referenceName(alternative);
  if (name !== undefined) return [{ title: `\`${name}\``, parentPath: '', shape: schemas[name] ?? {} }];
  if (!alternative.items) return [];
  const elements = alternativesOf(alternative.items);
  return elements.flatMap((element) => {
    if (!element.properties) return furtherShapes(`${parentPath}[]`, element, schemas);
    return [
      {
        title: elementTitle(`${parentPath}[]`, element, elements.length),
        parentPath: `${parentPath}[].`,
        shape: element,
      },
    ];
  });
}

function resolve(schema: JsonSchema, schemas: Schemas): JsonSchema {
  const name = referenceName(schema);
  return name === undefined ? schema : (schemas[name] ?? {});
}

function requiredFirst(shape: JsonSchema): [string, JsonSchema][] {
  const all = Object.entries(shape.properties ?? {});
  const isRequired = ([name]: [string, JsonSchema]) => shape.required?.includes(name) ?? false;
  return [...all.filter(isRequired), ...all.filter((entry) => !isRequired(entry))];
}

function field(path: string, name: string, property: JsonSchema, isRequired: boolean): DocumentedField {
  const alternatives = alternativesOf(property);
  const type = typeLabel(alternatives);
  return {
    path,
    name,
    // The text above the table states that every optional field may be null.
    type: isRequired && canBeNull(property) && type !== 'null' ? `${type} or null` : type,
    isRequired,
    limits: limits(alternatives),
    default: property.default,
    description: property.description ?? '',
  };
}

/** If a field has several types, each limit names its type. */
function limits(alternatives: readonly JsonSchema[]): readonly string[] {
  if (alternatives.length === 1) return alternatives.flatMap(limitsOf);
  return alternatives.flatMap((one) => limitsOf(one).map((limit) => `${typeLabel([one])}: ${limit}`));
}

/** The alternatives of a schema without null, with nested unions flattened. */
function alternativesOf(schema: JsonSchema): readonly JsonSchema[] {
  const union = schema.anyOf ?? schema.oneOf;
  if (union) return union.flatMap(alternativesOf);
  if (!Array.isArray(schema.type)) return schema.type === 'null' ? [] : [schema];
  return schema.type.filter((type) => type !== 'null').map((type) => ({ ...schema, type }));
}

function canBeNull(schema: JsonSchema): boolean {
  const union = schema.anyOf ?? schema.oneOf;
  return union?.some(canBeNull) ?? [schema.type].flat().includes('null');
}

function typeLabel(alternatives: readonly JsonSchema[]): string {
  const labels = alternatives.map((alternative) => {
    if (alternative.items) return `${typeLabel(alternativesOf(alternative.items))}[]`;
    return referenceName(alternative) ?? alternative.type?.toString() ?? 'any';
  });
  return [...new Set(labels)].join(' or ') || 'null';
}

/** Distinguishes the shapes of one list by their description, or by the field with fixed values. */
function elementTitle(parentPath: string, shape: JsonSchema, shapes: number): string {
  if (shapes === 1) return `\`${parentPath}\``;
  if (shape.description) return `\`${parentPath}\` – ${shape.description}`;
  const properties = Object.entries(shape.properties ?? {});
  const [name, value] = properties.find(([, property]) => property.enum ?? property.const) ?? [];
  const words = (value?.enum ?? [value?.const]).map((word) => `\`${String(word)}\``).join(' or ');
  return `\`${parentPath}\` with \`${name ?? ''}\` ${words}`;
}

function limitsOf(schema: JsonSchema): readonly string[] {
  const limits = [
    'const' in schema ? `always ${word(schema.const)}` : undefined,
    schema.enum?.map(word).join(', '),
    range(schema.minimum, schema.maximum, ''),
    range(schema.minLength, schema.maxLength, ' characters'),
    range(schema.minItems, schema.maxItems, ' entries'),
    schema.pattern === undefined ? undefined : word(schema.pattern),
  ];
  return limits.filter((limit) => limit !== undefined);
}

function word(value: unknown): string {
  return `\`${String(value)}\``;
}

/** A maximum of this size only marks a 32-bit integer. */
const endless = 2 ** 31 - 1;

/** Omits lower bounds of 0 and 1 without an upper bound, except that a list must not be empty. */
function range(min = 0, max = endless, unit: string): string | undefined {
  if (max < endless) return min > 0 || unit === '' ? `${min} to ${max}${unit}` : `at most ${max}${unit}`;
  if (min > 1) return `at least ${min}${unit}`;
  return min === 1 && unit === ' entries' ? 'at least 1 entry' : undefined;
}
