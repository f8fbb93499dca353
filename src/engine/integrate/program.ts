import { realpathSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import type { IntegrateWorld, ProgramCall } from './agent.js';

/** How this program was started. */
export interface ProgramFacts {
  /** Absolute path of node, links resolved, as `process.execPath` has it. */
  readonly node: string;
  /** Absolute path of the script, as `process.argv[1]` has it. */
  readonly script: string;
}

/** What is passed on to the server and the hook, so that they open the same memory. */
export interface MemoryTarget {
  readonly agent?: string | undefined;
  /** Absolute. */
  readonly workspace?: string | undefined;
  /** Absolute. */
  readonly config?: string | undefined;
}

/** Variables that decide where state lies. Agents that are started from a desktop do not have them. */
export const PLACES = ['SVC_HOME', 'XDG_CONFIG_HOME', 'XDG_STATE_HOME', 'XDG_CACHE_HOME'] as const;

/**
 * How others run a command of this installation. Node is named together with the script: an agent
 * that was started from a desktop has another PATH than a shell, and would find neither `svc` nor
 * the `node` that svc begins with.
 *
 * @param command its words, like `['mcp']`
 */
export function programCall(
  facts: ProgramFacts,
  command: readonly string[],
  target: MemoryTarget,
  { env, cwd }: Pick<IntegrateWorld, 'cwd' | 'env'>,
): ProgramCall {
  const flags = (['agent', 'workspace', 'config'] as const).flatMap((name) => {
    const value = target[name];
    return value === undefined ? [] : [`--${name}`, value];
  });
  return {
    words: [steadyNode(facts.node, env['PATH']), facts.script, ...command, ...flags],
    env: Object.fromEntries(
      PLACES.flatMap((name) => (env[name] ? [[name, resolve(cwd, env[name])]] : [])),
    ),
  };
}

/**
 * The name under which PATH has the same node: package managers keep that one when they update, and
 * remove the folder with the version in its name.
 */
function steadyNode(node: string, path: string | undefined): string {
  const folders = (path ?? '').split(':').filter((folder) => isAbsolute(folder));
  const found = folders.map((folder) => join(folder, 'node')).find((file) => isSame(file, node));
  return found ?? node;
}

function isSame(file: string, node: string): boolean {
  try {
    return realpathSync(file) === realpathSync(node);
  } catch {
    return false;
  }
}

const PROGRAM = /(?:^|[\\/])(?:svc(?:\.cmd|\.exe)?|svc-cli[\\/]bin[\\/]run\.js)$/u;

/** The program or script whose command `mcp` some words run; undefined for other words. */
export function serverScript(words: readonly string[]): string | undefined {
  const at = words.indexOf('mcp');
  return at > 0 ? words[at - 1] : undefined;
}

/** Whether a script is svc, of this installation or another one. */
export function isOurScript(script: string | undefined, facts: ProgramFacts): boolean {
  return script !== undefined && (script === facts.script || PROGRAM.test(script));
}

/** Whether the script lies where npx keeps what it fetched, and throws it away some day. */
export function isPassing(facts: ProgramFacts): boolean {
  return /[\\/]_npx[\\/]/u.test(facts.script);
}
