/** The client's name for a tool, and the kind of call item that the client expects. */
export interface ToolIdentity {
  readonly namespace: string | undefined;
  readonly name: string;
  readonly kind: 'function' | 'custom' | 'tool-search';
}

/** Maximum length that every provider accepts. */
const lengthMax = 64;

/** Clients use it for tools outside namespaces. */
const topNamespace = 'functions';

/** Maps each tool to a unique name of letters, digits, `_` and `-`, and back, always the same for the same tools. */
export class ToolNames {
  readonly #byWire = new Map<string, ToolIdentity>();
  readonly #wireBy = new Map<string, string>();

  /** Returns the name of a tool for the provider. A tool that was not declared also gets one. */
  wireName(tool: ToolIdentity): string {
    const known = this.find(tool.namespace, tool.name);
    if (known !== undefined) return known;
    const wire = this.#unused(baseNameOf(tool));
    this.#byWire.set(wire, tool);
    this.#wireBy.set(keyOf(tool.namespace, tool.name), wire);
    return wire;
  }

  find(namespace: string | undefined, name: string): string | undefined {
    const exact = this.#wireBy.get(keyOf(namespace, name));
    return exact ?? (namespace === topNamespace ? this.#wireBy.get(keyOf(undefined, name)) : undefined);
  }

  /** Models shorten names: a name that matches exactly one tool means that tool. */
  identityOf(wire: string): ToolIdentity {
    return (
      this.#byWire.get(wire) ?? this.#findByShortName(wire) ?? { namespace: undefined, name: wire, kind: 'function' }
    );
  }

  #findByShortName(short: string): ToolIdentity | undefined {
    const fitting = [...this.#byWire.values()].filter(
      ({ namespace, name }) =>
        name === short || separators.some((between) => `${namespace}${between}${name}` === short),
    );
    return fitting.length === 1 ? fitting[0] : undefined;
  }

  #unused(base: string): string {
    let unused = base;
    for (let number = 2; this.#byWire.has(unused); number++) {
      const ending = `_${number}`;
      unused = base.slice(0, lengthMax - ending.length) + ending;
    }
    return unused;
  }
}

/** Separators that models write between a namespace and a name. */
const separators = ['.', '/', ':', '__', '_', '-'];

function keyOf(namespace: string | undefined, name: string): string {
  return `${namespace ?? ''}\0${name}`;
}

/** Keeps the end of a long name, because many tools of a namespace share its beginning. */
function baseNameOf({ namespace, name }: ToolIdentity): string {
  const whole = namespace === undefined ? name : `${namespace}__${name}`;
  return whole.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(-lengthMax) || 'tool';
}
