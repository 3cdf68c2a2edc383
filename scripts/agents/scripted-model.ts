/** A tool that an agent declares, in any wire format. */
export interface OfferedTool {
  readonly name: string;
  readonly properties: readonly string[];
}

/** The input of the model: the declared tools and their results so far. */
export interface Scene {
  readonly tools: readonly OfferedTool[];
  readonly results: readonly string[];
}

export type Move =
  | { readonly type: 'call'; readonly name: string; readonly input: Readonly<Record<string, string>> }
  | { readonly type: 'say'; readonly text: string };

export interface Task {
  /** The file that contains a number. */
  readonly question: string;
  /** The file that must contain twice that number at the end. */
  readonly answer: string;
}

/**
 * A model with one skill: it reads a number from a file with the agent's own tool, writes twice the number to another
 * file, and reports it. It has no information except the results of the tools, so a translation fault shows in the
 * file.
 */
export function nextMove({ tools, results }: Scene, task: Task): Move {
  const hands = handsOf(tools);
  if (!hands) return { type: 'say', text: 'A number, doubled' };
  const [read] = results;
  if (read === undefined) return hands.read(task.question);
  const number = /number\D{1,20}?(\d+)/.exec(read)?.[1];
  if (number === undefined) return { type: 'say', text: `There is no number in: ${read.slice(0, 200)}` };
  const doubled = String(Number(number) * 2);
  if (results.length === 1) return hands.write(task.answer, doubled);
  return { type: 'say', text: `Done: ${doubled} is twice ${number}.` };
}

interface Hands {
  read(path: string): Move;
  write(path: string, content: string): Move;
}

/** Some agents have a tool for each operation, others have one shell tool. */
function handsOf(tools: readonly OfferedTool[]): Hands | undefined {
  const shell = tools.find(({ name }) => name === 'exec_command');
  if (shell) {
    const run = (cmd: string): Move => ({ type: 'call', name: shell.name, input: { cmd } });
    return { read: (path) => run(`cat ${path}`), write: (path, content) => run(`printf %s ${content} > ${path}`) };
  }
  const reader = tools.find(({ name }) => /^read(_file)?$/i.test(name));
  const writer = tools.find(({ name }) => /^write(_file)?$/i.test(name));
  if (!reader || !writer) return undefined;
  return {
    read: (path) => call(reader, { path }),
    write: (path, content) => call(writer, { path, content }),
  };
}

/** Agents use different names for the path parameter. */
function call({ name, properties }: OfferedTool, { path, content }: { path: string; content?: string }): Move {
  const pathName = properties.find((property) => /^(file_?)?path$/i.test(property)) ?? 'file_path';
  return { type: 'call', name, input: { [pathName]: path, ...(content !== undefined && { content }) } };
}
