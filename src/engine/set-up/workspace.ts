import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type LoadedConfig, resolveAgent } from '../config/index.js';
import { SvcError, systemErrorCode, systemReason } from '../errors/index.js';
import { splitBlocks } from '../memory/chunking/blocks.js';
import { textLines } from '../memory/sources/index.js';
import type { EngineContext } from '../support/context.js';
import { makeFolders, namesIn, unlessSystemError } from '../support/files.js';

/** `empty`: a folder without MEMORY.md and without memory/. */
export type WorkspaceState = 'empty' | 'memory' | 'missing';

/** A folder that could be the default agent's workspace. */
export interface WorkspaceCandidate {
  /** Absolute. */
  readonly dir: string;
  readonly state: WorkspaceState;
  /** Why, for people. */
  readonly why: string;
}

/**
 * The possible folders, the best one first: the configured one when it exists or was chosen, the current
 * folder when it contains a memory or Markdown files, and the default location.
 */
export function findWorkspaces(
  loaded: LoadedConfig,
  context: EngineContext,
): readonly [WorkspaceCandidate, ...WorkspaceCandidate[]] {
  const { cwd } = context;
  const { workspaceDir: dir } = resolveAgent(loaded, undefined, context);
  const standard = join(context.state.stateDir, 'workspace');
  const why = dir === standard ? 'the default location' : 'from the configuration';
  const configured = candidateAt(dir, why);
  const here = candidateAt(cwd, 'the current folder');
  const isOffered = here.state === 'memory' || (cwd !== context.homeDir && hasMarkdown(cwd));
  if (dir === cwd || !isOffered) return [configured];
  // A folder with a memory comes before a default location without one.
  return here.state === 'memory' && dir === standard && configured.state !== 'memory'
    ? [here, configured]
    : [configured, here];
}

function hasMarkdown(dir: string): boolean {
  return namesIn(dir).some((name) => /\.md$/iu.test(name));
}

function candidateAt(dir: string, why: string): WorkspaceCandidate {
  return { dir, state: workspaceState(dir), why };
}

/**
 * The state of a workspace folder.
 *
 * @param dir absolute path
 * @throws SvcError WORKSPACE_UNREADABLE when it is not a folder
 */
export function workspaceState(dir: string): WorkspaceState {
  const stats = statSync(dir, { throwIfNoEntry: false });
  if (stats === undefined) return 'missing';
  if (!stats.isDirectory()) {
    throw new SvcError('WORKSPACE_UNREADABLE', `${dir} is not a folder`, {
      hint: 'choose the path of a folder',
    });
  }
  const has = (name: string): boolean =>
    statSync(join(dir, name), { throwIfNoEntry: false }) !== undefined;
  return has('MEMORY.md') || has('memory') ? 'memory' : 'empty';
}

const EXAMPLE = `# Memory

What an agent should still know tomorrow. Daily notes go into memory/, one file per day.

## How this works

Each heading starts a new passage. A search returns the passages that match it.
`;

/**
 * Creates the folder, private to its owner, and an example MEMORY.md on request; an existing file stays.
 *
 * @param dir absolute path
 * @throws SvcError WORKSPACE_UNREADABLE
 */
export function makeWorkspace(dir: string, withExample: boolean): void {
  try {
    makeFolders(dir);
    if (withExample) writeFileSync(join(dir, 'MEMORY.md'), EXAMPLE, { flag: 'wx' });
  } catch (cause) {
    if (systemErrorCode(cause) === 'EEXIST' && withExample) return;
    throw new SvcError('WORKSPACE_UNREADABLE', `cannot create ${dir}: ${systemReason(cause)}`, {
      hint: 'check the permissions of its parent folder, or choose another',
      cause,
    });
  }
}

/** For a memory without headings. */
const DEFAULT_QUESTION = 'memory';

/** Such a heading would find every passage that mentions memory. */
const MEMORY_TITLE = /^memory(?:\.md)?$/iu;

/**
 * A first query for a memory: the first heading of MEMORY.md below its title, else of the newest daily notes, else of
 * the files that changed last.
 *
 * @param dir absolute path of the workspace
 * @param recent lists the indexed files that changed last, relative to it
 */
export async function firstQuestion(
  dir: string,
  recent: () => Promise<readonly string[]>,
): Promise<string> {
  const notePaths = ['MEMORY.md', ...newestDailyNotes(dir)];
  return headingIn(dir, notePaths) ?? headingIn(dir, await recent()) ?? DEFAULT_QUESTION;
}

function headingIn(dir: string, files: readonly string[]): string | undefined {
  for (const file of files) {
    const headings = splitBlocks(textLines(textOf(join(dir, file)))).filter(
      ({ kind, title = '' }) =>
        kind === 'heading' && /\p{L}/u.test(title) && !MEMORY_TITLE.test(title),
    );
    const [first, second] = headings;
    // A title is the topic of the whole note, if there are headings below it.
    const isTitle = first?.level === 1 && headings.some(({ level }) => level !== 1);
    const question = isTitle ? second : first;
    if (question?.title !== undefined) return question.title;
  }
  return undefined;
}

/** They have their date in the name. */
function newestDailyNotes(dir: string): readonly string[] {
  const names = namesIn(join(dir, 'memory')).filter((name) => name.endsWith('.md'));
  return names
    .toSorted()
    .reverse()
    .slice(0, MOST_NOTES)
    .map((name) => join('memory', name));
}

const MOST_NOTES = 5;

function textOf(file: string): string {
  return unlessSystemError(() => (statSync(file).isFile() ? readFileSync(file, 'utf8') : '')) ?? '';
}
