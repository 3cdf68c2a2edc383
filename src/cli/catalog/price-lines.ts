import { readFileSync } from 'node:fs';
import { entries } from '../../platform/config/file/sections.ts';
import { readYaml } from '../../platform/config/file/yaml-source.ts';

/** Returns the line of the `price` of a model in the configuration file, such as `gateway.yaml:12`. */
export function fileLines(file: string | undefined): (model: string) => string | undefined {
  if (file === undefined) return () => undefined;
  const source = readYaml(readFileSync(file, 'utf8'), process.env);
  const paths = new Map(entries(source.data, 'models').map(({ path, value }) => [value.id, path]));
  return (model) => {
    const path = paths.get(model);
    return path && `${file}:${source.position([...path, 'price'], true).line}`;
  };
}
