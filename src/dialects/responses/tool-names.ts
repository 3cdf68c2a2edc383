/** What a client calls a tool, and how it wants to be called back. */
export interface ToolIdentity {
  readonly namespace: string | undefined;
  readonly name: string;
  readonly kind: 'function' | 'custom' | 'tool-search';
}

/** As long as every provider takes. */
const lengthMax = 64;

/** Clients write it for tools that stand in no namespace. */
const topNamespace = 'functions';

/**
 * One name of plain letters for each tool, and the way back. Tools of namespaces get both names in one; what would
 * collide or be too long is told apart by a number. The same tools in the same order always get the same names.
 */
export class ToolNames {
  readonly #byWire = new Map<string, ToolIdentity>();
  readonly #wireBy = new Map<string, string>();

  /** The name of a tool on its way to a provider; a tool that was not declared gets one too. */
  wireName(tool: ToolIdentity): string {
    const known = this.find(tool.namespace, tool.name);
    if (known !== undefined) return known;
    const wire = this.#free(plainName(tool));
    this.#byWire.set(wire, tool);
    this.#wireBy.set(placeOf(tool.namespace, tool.name), wire);
    return wire;
  }

  find(namespace: string | undefined, name: string): string | undefined {
    const exact = this.#wireBy.get(placeOf(namespace, name));
    return exact ?? (namespace === topNamespace ? this.#wireBy.get(placeOf(undefined, name)) : undefined);
  }

  /** Who is meant by the name a model used. Models shorten names; one that fits a single tool means that tool. */
  identityOf(wire: string): ToolIdentity {
    return this.#byWire.get(wire) ?? this.#meant(wire) ?? { namespace: undefined, name: wire, kind: 'function' };
  }

  #meant(said: string): ToolIdentity | undefined {
    const fitting = [...this.#byWire.values()].filter(
      ({ namespace, name }) => name === said || separators.some((between) => `${namespace}${between}${name}` === said),
    );
    return fitting.length === 1 ? fitting[0] : undefined;
  }

  #free(plain: string): string {
    let free = plain;
    for (let number = 2; this.#byWire.has(free); number++) {
      const ending = `_${number}`;
      free = plain.slice(0, lengthMax - ending.length) + ending;
    }
    return free;
  }
}

/** What models put between a namespace and a name. */
const separators = ['.', '/', ':', '__', '_', '-'];

function placeOf(namespace: string | undefined, name: string): string {
  return `${namespace ?? ''}\0${name}`;
}

/** The end of a long name tells more than its beginning, which many tools of a namespace share. */
function plainName({ namespace, name }: ToolIdentity): string {
  const whole = namespace === undefined ? name : `${namespace}__${name}`;
  return whole.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(-lengthMax) || 'tool';
}
