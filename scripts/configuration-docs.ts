import { writeFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { configSchema } from '../src/platform/config/config.ts';
import { objectShape, type SchemaShape, shapeOf } from '../src/platform/config/file/shape.ts';

/** The text of `docs/configuration.md`, from the schema of the configuration file. Run this file to write the page. */
export function configurationDocs(): string {
  const root = shapeOf(configSchema);
  const sections = Object.entries(root.properties ?? {}).flatMap(([name, shape]) => section(name, shape, 2));
  return `${[introduction, '## The file', table(root, ''), ...sections].join('\n\n')}\n`;
}

export const configurationDocsFile = new URL('../docs/configuration.md', import.meta.url);

const introduction = `# Configuration

<!-- Written by scripts/configuration-docs.ts from the schema in src/platform/config; change the descriptions there. -->

\`\`\`sh run
chat-gateway check gateway.yaml           # list every problem with its line and its fix; start nothing
\`\`\`

One YAML file configures the gateway, and \`chat-gateway serve --config gateway.yaml\` runs it.
[gateway.example.yaml](../gateway.example.yaml) is a complete example.

- **All or nothing.** A file with a problem is refused as a whole. A running gateway reads the file again when the file
  changes or on SIGHUP. If the new file has a problem, the old one stays in use.
- **An empty file is not applied.** A changed file that would remove all models or all upstreams of the previous file is
  refused too, because it is usually half written. \`serve --allow-empty\` allows it. \`check\` warns about such a file.
  A gateway that starts accepts any valid file.
- **Environment.** \`\${NAME}\` in a value is replaced by the environment variable. A variable that is not set is a problem.
  Inside \`{ }\` and \`[ ]\` put quotes around it. A literal \`\${\` is written \`$\${\`.
- **Editor.** \`gateway.schema.json\` is the JSON Schema of the file. The package contains it, and \`npm ci\` writes it into a
  checkout. An editor with YAML support checks and completes the file if its first line is
  \`# yaml-language-server: $schema=PATH\`, with the path of the schema.
- **Durations** are written \`500ms\`, \`5s\`, \`30m\`, \`12h\`, \`30d\`; **sizes** \`16384\`, \`512KiB\`, \`32MiB\`;
  **money** as decimals in quotes, so that no digit is lost.
- **Paths** are relative to the file.
- **File and store.** Commands can also add upstreams, models, packages and sites. The store keeps these entries, and they
  stay when the file changes. Entries of the file can be changed only in the file. Secrets of the file never enter the
  store. Provider keys that a command adds are stored encrypted, with a key derived from \`secret\` or the key file.`;

/** A section for a setting with named settings inside, then the sections of those. */
function section(path: string, shape: SchemaShape, level: number): string[] {
  const inner = namesInside(shape);
  if (!inner) return [];
  const parts = Object.entries(inner.properties ?? {}).flatMap(([name, each]) => section(`${path}.${name}`, each, 3));
  return [
    `${'#'.repeat(level)} ${path}`,
    ...(shape.description ? [shape.description] : []),
    table(inner, path),
    ...parts,
  ];
}

function namesInside(shape: SchemaShape): SchemaShape | undefined {
  const object = objectShape(shape.items ?? shape);
  return object?.properties ? object : undefined;
}

function table(object: SchemaShape, path: string): string {
  const rows = Object.entries(object.properties ?? {}).map(([name, shape]) => {
    const needed = object.required?.includes(name) ?? false;
    return [
      `\`${name}\``,
      typeText(shape, path === '' ? name : `${path}.${name}`),
      defaultText(shape, needed),
      shape.description,
    ];
  });
  const lines = [['name', 'type', 'default', 'what it does'], ['---', '---', '---', '---'], ...rows];
  return lines.map((cells) => `| ${cells.map((cell) => (cell ?? '').replaceAll('|', '\\|')).join(' | ')} |`).join('\n');
}

function typeText(shape: SchemaShape, path: string): string {
  const link = `[${path}](#${path.toLowerCase().replace(/[^a-z0-9_-]/g, '')})`;
  if (shape.items) return namesInside(shape) ? `list of ${link}` : `list of ${plural(typeText(shape.items, path))}`;
  if (shape.anyOf) return shape.anyOf.map((branch) => typeText(branch, path)).join(' or ');
  if (shape.properties) return link;
  if (shape.const !== undefined) return `\`${shape.const}\``;
  if (shape.enum) return shape.enum.map((value) => `\`${value}\``).join(', ');
  if (shape.title) return shape.title.replace(/^an? /, '');
  if (shape.type === 'integer') return `whole number, ${shape.minimum} to ${shape.maximum}`;
  if (shape.type === 'boolean') return '`true`, `false`';
  return shape.type === 'object' ? 'names and values' : 'text';
}

function plural(type: string): string {
  return /^[a-z -]+$/.test(type) && type !== 'text' ? `${type}s` : type;
}

function defaultText(shape: SchemaShape, needed: boolean): string {
  if (needed) return '**required**';
  if (shape.default === undefined || (shape.properties && namesInside(shape))) return '';
  return `\`${stringify(shape.default, { collectionStyle: 'flow', lineWidth: 0 }).trim()}\``;
}

if (import.meta.main) writeFileSync(configurationDocsFile, configurationDocs());
