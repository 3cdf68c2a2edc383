type Schema = Readonly<Record<string, unknown>>;

const depthMax = 8;
const propertiesMax = 50;

/** A plausible value for a JSON Schema: what a small model would fill in. Words of the user's message serve as strings. */
export function sampleValue(schema: unknown, hint: string, depth = 0): unknown {
  if (!isObject(schema) || depth > depthMax) return {};
  if (schema['const'] !== undefined) return schema['const'];
  if (schema['default'] !== undefined) return schema['default'];
  const [choice] = [schema['enum'], schema['examples']].filter((list) => Array.isArray(list) && list.length > 0);
  if (Array.isArray(choice)) return choice[0];
  const [variant] = [schema['anyOf'], schema['oneOf'], schema['allOf']].filter(
    (list) => Array.isArray(list) && list.length > 0,
  );
  if (Array.isArray(variant)) return sampleValue(variant[0], hint, depth + 1);
  return sampleOfType(typeOf(schema), schema, hint, depth);
}

function sampleOfType(type: string, schema: Schema, hint: string, depth: number): unknown {
  switch (type) {
    case 'string':
      return sampleString(schema, hint);
    case 'integer':
    case 'number':
      return sampleNumber(schema);
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'array':
      return [sampleValue(schema['items'] ?? { type: 'string' }, hint, depth + 1)];
    default:
      return sampleObject(schema, hint, depth);
  }
}

function typeOf(schema: Schema): string {
  const type = Array.isArray(schema['type']) ? schema['type'].find((name) => name !== 'null') : schema['type'];
  if (typeof type === 'string') return type;
  return schema['items'] === undefined ? 'object' : 'array';
}

function sampleString(schema: Schema, hint: string): string {
  const known = typeof schema['format'] === 'string' ? formats[schema['format']] : undefined;
  const longest = typeof schema['maxLength'] === 'number' ? schema['maxLength'] : 80;
  return known ?? hint.slice(0, Math.max(0, Math.min(80, longest)));
}

const formats: Readonly<Record<string, string>> = {
  date: '2026-01-01',
  time: '12:00:00Z',
  'date-time': '2026-01-01T12:00:00Z',
  email: 'someone@example.com',
  uri: 'https://example.com',
  uuid: '00000000-0000-4000-8000-000000000000',
};

function sampleNumber(schema: Schema): number {
  const { minimum, maximum } = schema;
  if (typeof minimum === 'number') return minimum;
  return typeof maximum === 'number' ? Math.min(1, maximum) : 1;
}

/** Required fields, or all of them when none is required. */
function sampleObject(schema: Schema, hint: string, depth: number): unknown {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const names = Object.keys(properties).filter((name) => required.length === 0 || required.includes(name));
  const sampled = names
    .slice(0, propertiesMax)
    .map((name) => [name, sampleValue(properties[name], hint, depth + 1)] as const);
  return Object.fromEntries(sampled);
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
