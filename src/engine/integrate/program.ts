import { stateVariables } from '../support/context.js';
import { shellWord } from '../support/text.js';
import type { IntegrateContext, ProgramCall } from './agent.js';

/** How this program was started. */
export interface ProgramFacts {
  /** Absolute path of Node.js; undefined for a standalone executable, which contains it. */
  readonly node: string | undefined;
  /** Absolute path of the script, or of the standalone executable. */
  readonly script: string;
}

/** Flags of the server and the hook that select the memory. */
export interface MemoryTarget {
  readonly agent?: string | undefined;
  /** Absolute. */
  readonly workspace?: string | undefined;
  /** Absolute. */
  readonly config?: string | undefined;
}

/**
 * How others run a command of this installation: by absolute paths, since the PATH of an agent started from a
 * desktop may lack `svc` and `node`.
 *
 * @param command such as `['mcp']`
 */
export function programCall(
  facts: ProgramFacts,
  command: readonly string[],
  target: MemoryTarget,
  context: Pick<IntegrateContext, 'cwd' | 'env' | 'homeDir'>,
): ProgramCall {
  const call = [facts.script, ...command, ...targetWords(target)] as const;
  return {
    words: facts.node === undefined ? call : [facts.node, ...call],
    // An agent started from a desktop does not have them.
    env: stateVariables(context),
  };
}

/** The flags that select a memory. */
export function targetWords(target: MemoryTarget): readonly string[] {
  return (['agent', 'workspace', 'config'] as const).flatMap((name) => {
    const value = target[name];
    return value === undefined ? [] : [`--${name}`, value];
  });
}

const PROGRAM = /(?:^|[\\/])(?:svc(?:\.cmd|\.exe)?|svc-cli[\\/]bin[\\/]run\.js)$/u;

/** The program whose `mcp` command is run; undefined for other command lines. */
export function serverScript(words: readonly string[]): string | undefined {
  const at = words.indexOf('mcp');
  return at > 0 ? words[at - 1] : undefined;
}

/** Whether a script is svc, of this installation or another one. @param facts undefined where they are not known */
export function isOurScript(script: string | undefined, facts: ProgramFacts | undefined): boolean {
  return script !== undefined && (script === facts?.script || PROGRAM.test(script));
}

/** Whether the script is in the cache of npx, which may be emptied at any time. */
export function isTemporary(facts: ProgramFacts): boolean {
  return /[\\/]_npx[\\/]/u.test(facts.script);
}

/** A call as a line for a POSIX shell, as hooks need it. */
export function shellLine({ words, env }: ProgramCall): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${shellWord(value)}`);
  return [...variables, ...words.map(shellWord)].join(' ');
}

/** The variables of an entry that was read from a file, as {@link shellWords} returns those of a line. */
export function variableWords(env: unknown): readonly string[] {
  return Object.entries(Object(env)).map((variable) => variable.join('='));
}

/** The words of a line from {@link shellLine}, or with other shell quotes. */
export function shellWords(line: string): readonly string[] {
  const words = line.match(/(?:[^\s'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+/gu) ?? [];
  return words.map((word) =>
    word.replaceAll(
      /\\(?<plain>.)|'(?<single>[^']*)'|"(?<double>(?:[^"\\]|\\.)*)"/gu,
      (_, plain?: string, single?: string, double?: string) =>
        plain ?? single ?? double?.replaceAll(/\\(?<next>["\\$`])/gu, '$<next>') ?? '',
    ),
  );
}
