/** The parts of a V8 `--cpu-prof` file that are read here. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  /** The node at each tick of the profiler. */
  readonly samples: readonly number[];
  /** Microseconds since the previous tick. */
  readonly timeDeltas: readonly number[];
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string };
  readonly children?: readonly number[];
}

/** The share of the busy time of a thread that was spent in some modules and in the functions that they called. */
export function profileShare({ nodes, samples, timeDeltas }: CpuProfile, isMeant: (url: string) => boolean): number {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const within = new Set<number>();
  const enter = ({ id, children = [] }: ProfileNode): void => {
    within.add(id);
    for (const child of children) enter(byId.get(child) ?? missing(child));
  };
  for (const node of nodes) if (!within.has(node.id) && isMeant(node.callFrame.url)) enter(node);
  let busy = 0;
  let meant = 0;
  samples.forEach((id, index) => {
    if (byId.get(id)?.callFrame.functionName === '(idle)') return;
    busy += timeDeltas[index] ?? 0;
    if (within.has(id)) meant += timeDeltas[index] ?? 0;
  });
  return meant / busy;
}

function missing(id: number): never {
  throw new Error(`the profile has no node ${id}`);
}
