import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { resolveAgent } from '../config/index.js';
import type { LoadedConfig } from '../config/load.js';
import type { EngineContext } from '../context.js';
import { SvcError, systemErrorCode } from '../errors/index.js';

/** What lies at the place of a workspace. `empty`: a folder without MEMORY.md and without memory/. */
export type WorkspaceState = 'empty' | 'memory' | 'missing';

/** A folder that the default agent's memory could be. */
export interface WorkspacePlace {
  /** Absolute. */
  readonly dir: string;
  readonly state: WorkspaceState;
  /** What makes it one, for people. */
  readonly why: string;
}

/**
 * The folders that could be meant, the best one first: that of the configuration when it is there or
 * was named, the current folder when it holds a memory, and the usual place.
 */
export function findWorkspaces(
  loaded: LoadedConfig,
  context: EngineContext,
): readonly [WorkspacePlace, ...WorkspacePlace[]] {
  const { workspaceDir: dir } = resolveAgent(loaded, undefined, context);
  const usual = join(context.state.stateDir, 'workspace');
  const configured = placeAt(dir, dir === usual ? 'the usual place' : 'of the configuration');
  if (dir === context.cwd || workspaceState(context.cwd) !== 'memory') return [configured];
  const here = placeAt(context.cwd, 'the current folder');
  // A place that nobody chose and where nothing lies stands behind one with a memory.
  return dir === usual && configured.state !== 'memory' ? [here, configured] : [configured, here];
}

function placeAt(dir: string, why: string): WorkspacePlace {
  return { dir, state: workspaceState(dir), why };
}

/**
 * What lies there.
 *
 * @param dir absolute path
 * @throws SvcError WORKSPACE_UNREADABLE when it is no folder
 */
export function workspaceState(dir: string): WorkspaceState {
  const stats = statSync(dir, { throwIfNoEntry: false });
  if (stats === undefined) return 'missing';
  if (!stats.isDirectory()) {
    throw new SvcError('WORKSPACE_UNREADABLE', `${dir} is no folder`, {
      hint: 'name a folder: --workspace DIR',
    });
  }
  const holds = (name: string): boolean =>
    statSync(join(dir, name), { throwIfNoEntry: false }) !== undefined;
  return holds('MEMORY.md') || holds('memory') ? 'memory' : 'empty';
}

const EXAMPLE = `# Memory

What an agent should still know tomorrow. Notes of single days go into memory/, one file a day.

## How this works

Every heading begins a passage of its own. A question is answered with the passages that fit it.
`;

/**
 * Makes the folder, for its owner alone, and an example MEMORY.md where one is wanted; a file that
 * is there stays.
 *
 * @param dir absolute path
 * @throws SvcError WORKSPACE_UNREADABLE
 */
export function makeWorkspace(dir: string, withExample: boolean): void {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    if (withExample) writeFileSync(join(dir, 'MEMORY.md'), EXAMPLE, { flag: 'wx' });
  } catch (cause) {
    if (systemErrorCode(cause) === 'EEXIST' && withExample) return;
    const code = systemErrorCode(cause) ?? 'unknown error';
    throw new SvcError('WORKSPACE_UNREADABLE', `${dir} could not be made (${code})`, {
      hint: 'check the permissions of the folder above it, or name another',
      cause,
    });
  }
}

/** Asked of a memory in which no heading is found. */
const ANY_QUESTION = 'memory';

/**
 * Something to ask a memory first: the first heading of MEMORY.md, else of the newest note.
 *
 * @param dir absolute path of the workspace
 */
export function firstQuestion(dir: string): string {
  for (const file of ['MEMORY.md', ...newestNotes(join(dir, 'memory'))]) {
    const heading = /^#{1,6}[ \t]+(.*\p{L}.*?)[ \t#]*$/mu.exec(textOf(join(dir, file)))?.[1];
    if (heading !== undefined) return heading;
  }
  return ANY_QUESTION;
}

/** Notes bear their day in their name. */
function newestNotes(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith('.md'));
    return names
      .sort()
      .reverse()
      .slice(0, MOST_NOTES)
      .map((name) => join('memory', name));
  } catch {
    return [];
  }
}

const MOST_NOTES = 5;

function textOf(file: string): string {
  try {
    return statSync(file).isFile() ? readFileSync(file, 'utf8') : '';
  } catch {
    return '';
  }
}
