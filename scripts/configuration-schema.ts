import { writeFileSync } from 'node:fs';
import { configSchema } from '../src/platform/config/config.ts';
import { type SchemaShape, shapeOf } from '../src/platform/config/file/shape.ts';

/** The text of `gateway.schema.json`, with which editors check and complete a configuration file. */
export function configurationSchema(): string {
  const { description, ...root } = forEditors(shapeOf(configSchema));
  const schema = { ...root, title: 'Configuration of Chat Gateway', description };
  return `${JSON.stringify(schema, undefined, 1)}\n`;
}

/** Writes the schema to a file that Git ignores. `npm install` and the build do this. */
export function writeConfigurationSchema(): void {
  writeFileSync(new URL('../gateway.schema.json', import.meta.url), configurationSchema());
}

/** A value may be a variable. The gateway replaces variables before it checks the file, an editor does not. */
const variable = { type: 'string', pattern: String.raw`\$\{[^}]*\}` };

function forEditors(shape: SchemaShape): Record<string, unknown> {
  const { title: _grammar, sample, fix: _fix, properties, items, anyOf, additionalProperties, ...rest } = shape;
  const inner = {
    ...rest,
    ...(sample !== undefined && { examples: [sample] }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, forEditors(each)])),
    }),
    ...(items && { items: forEditors(items) }),
    ...(anyOf && { anyOf: anyOf.map(forEditors) }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === 'boolean' ? additionalProperties : forEditors(additionalProperties),
    }),
  };
  return isValue(shape) ? withVariable(inner) : inner;
}

/** Whether a variable may replace the value, and its own rules would reject the variable. */
function isValue(shape: SchemaShape): boolean {
  const hasRules = ['enum', 'const', 'pattern', 'format', 'minLength', 'maxLength'].some((rule) => rule in shape);
  return hasRules || ['integer', 'number', 'boolean'].includes(String(shape.type));
}

function withVariable(shape: Record<string, unknown>): Record<string, unknown> {
  const { description, default: preset, examples, ...rules } = shape;
  const notes = { description, default: preset, examples };
  return { ...notes, anyOf: [rules, variable] };
}

if (import.meta.main) writeConfigurationSchema();
