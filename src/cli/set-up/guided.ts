import type { AgentProviders } from '../../engine/embeddings/index.js';
import { SvcError } from '../../engine/errors/index.js';
import { countNotesOutside } from '../../engine/memory/sources/index.js';
import {
  type KeyChoice,
  keyState,
  MOST_KEY_BYTES,
  type ProviderOffers,
  parseKey,
  variableKey,
  type WorkspaceCandidate,
  workspaceState,
} from '../../engine/set-up/index.js';
import { type EngineContext, typedPath } from '../../engine/support/context.js';
import { formatCountOf } from '../../engine/support/format.js';
import { modelWords } from '../../ui/memory/words.js';
import { safeLine, shownPath } from '../../ui/safe-text.js';
import type { CommandContext } from '../command-context.js';
import { askChoice, askSecret, askText, askYes, type Choice } from '../prompts.js';

/** The folder of the memory, and what is done with it. */
export interface ChosenWorkspace {
  /** Absolute. */
  readonly dir: string;
  readonly withExample: boolean;
  /** Indexes all of its Markdown, not only `MEMORY.md` and `memory/`; undefined leaves that as it is. */
  readonly indexesAll: boolean | undefined;
}

const STATES: Readonly<Record<WorkspaceCandidate['state'], string>> = {
  empty: 'no memory yet',
  memory: 'has a memory',
  missing: 'will be created',
};

const CREATE = 'Yes creates the folder, readable only by you. No asks for another folder.';
const INDEX_ALL =
  'Yes indexes every Markdown file in this folder. No indexes only MEMORY.md and memory/.';
const EXAMPLE = 'Yes creates a short MEMORY.md to start from. No leaves the folder empty.';

/** Asks for the workspace folder. @throws SvcError INTERRUPTED */
export async function askWorkspace(
  places: readonly [WorkspaceCandidate, ...WorkspaceCandidate[]],
  command: CommandContext,
): Promise<ChosenWorkspace> {
  const { context, signal } = command;
  const { homeDir } = context;
  const choices: readonly Choice<string | undefined>[] = [
    ...places.map(({ dir, state, why }) => {
      return { value: dir, label: shownPath(dir, homeDir), hint: `${why} · ${STATES[state]}` };
    }),
    { value: undefined, label: 'another folder', hint: 'type its path' },
  ];
  for (;;) {
    const listed = await askChoice('Which folder contains the memory?', choices, {
      help: 'svc searches MEMORY.md and memory/ of this folder, and agents write their notes there.',
      signal,
    });
    const dir = listed ?? typedPath(await askFolder(command), context);
    const state = workspaceState(dir);
    const name = shownPath(dir, homeDir);
    // A listed folder is labelled as one that will be created.
    const isTypo =
      listed === undefined &&
      state === 'missing' &&
      !(await askYes(`Create ${name}?`, true, { help: CREATE, signal }));
    if (isTypo) continue;
    const indexesAll = await askIndexAll(dir, command, true);
    const withExample =
      state !== 'memory' &&
      indexesAll !== true &&
      (await askYes('Add an example MEMORY.md?', false, { help: EXAMPLE, signal }));
    return { dir, withExample, indexesAll };
  }
}

/** Whether to index all Markdown of a folder that has no memory; yes without asking. Undefined of other folders. */
export async function askIndexAll(
  dir: string,
  { context: { homeDir }, signal }: CommandContext,
  asks: boolean,
): Promise<boolean | undefined> {
  const outside =
    workspaceState(dir) === 'empty'
      ? countNotesOutside({ workspaceDir: dir, layout: 'agent', extraPaths: [] })
      : 0;
  if (outside === 0) return undefined;
  if (!asks) return true;
  const question = `Index ${formatCountOf(outside, 'Markdown file')} in ${shownPath(dir, homeDir)}?`;
  return askYes(question, true, { help: INDEX_ALL, signal });
}

function askFolder({ context, signal }: CommandContext): Promise<string> {
  const check = (path: string): string | undefined => {
    if (path === '') return 'type a path, such as ~/notes';
    return faultOf(() => workspaceState(typedPath(path, context)));
  };
  const help = `An absolute path, one below ${context.cwd}, or one that starts with ~/.`;
  return askText('Path of the folder', { check, help, signal });
}

/**
 * Asks which provider to use.
 *
 * @returns `none` to never use one; undefined to use whichever is detected later
 * @throws SvcError INTERRUPTED
 */
export async function askProvider(
  { offers, others, preferred }: ProviderOffers,
  { signal }: CommandContext,
): Promise<string | undefined> {
  // An available provider would be used at once.
  const canWait = preferred === undefined || (preferred === 'none' && offers.length === 0);
  const later = { value: LATER, label: 'keyword search for now', hint: LATER_HINT };
  const choices: readonly Choice<string | symbol>[] = [
    ...offers.map(({ provider, model, sign }) => {
      const hint = [model, sign].filter((text) => text !== null).join(' · ');
      return { value: provider, label: safeLine(provider), hint: safeLine(hint) };
    }),
    ...(canWait ? [later] : []),
    ...(others.length === 0
      ? []
      : [{ value: ANOTHER, label: 'another provider', hint: 'one that has to be set up first' }]),
    { value: 'none', label: 'keyword search only, always', hint: NEVER_HINT },
  ];
  const answer = await askChoice('Which embedding provider should svc use?', choices, {
    initial: preferred ?? LATER,
    help: 'With a provider, a search also finds notes that say the same in other words. Keyword search needs none.',
    signal,
  });
  if (typeof answer === 'string') return answer;
  if (answer === LATER) return undefined;
  const named = others.map(({ provider, model }) => {
    const choice = { value: provider, label: safeLine(provider) };
    return model === null ? choice : { ...choice, hint: modelWords(model) };
  });
  const help =
    'Entries of models.providers, and the providers that svc knows, with their usual models.';
  return askChoice('Which one?', named, { initial: 'openai', help, signal });
}

const LATER = Symbol('later');
const LATER_HINT = 'a provider is used as soon as its key is set';
const ANOTHER = Symbol('another');
const NEVER_HINT = 'no provider, nothing leaves this machine';

/**
 * Asks for the key of a provider that has none. The mask learns a pasted key before it is used anywhere.
 *
 * @throws SvcError INTERRUPTED
 */
export async function askKey(
  provider: string,
  providers: AgentProviders,
  { context, signal, write }: CommandContext,
): Promise<KeyChoice> {
  const state = keyState(provider, providers);
  if (state.kind === 'variable') {
    write(`The key of ${safeLine(provider)} comes from the environment, as env:${state.name}.`);
    return state;
  }
  if (state.kind !== 'missing' && state.kind !== 'unknown') return state;
  const check = (text: string): string | undefined => {
    context.onSecret?.(text);
    return text === '' ? undefined : faultOf(() => parseKey(text));
  };
  const optional =
    state.kind === 'missing' ? 'Enter to continue without one' : 'Enter if it needs none';
  const message = `Key of ${safeLine(provider)}: paste it, or type env:NAME (${optional})`;
  const help =
    'The key is not shown, and is stored in secrets.json, readable only by you. With env:NAME, svc reads the variable each time and stores nothing.';
  const text = await askSecret(message, { check, help, signal });
  return text === '' ? { kind: 'unchanged' } : parseKey(text);
}

/**
 * The key in the flags.
 *
 * @param readStdin all of standard input; of more, somewhat more than a number of bytes
 * @throws SvcError USAGE
 */
export async function keyFromFlags(
  flags: { readonly 'key-env'?: string | undefined; readonly 'key-stdin': boolean },
  readStdin: (mostBytes: number) => Promise<string>,
  context: EngineContext,
): Promise<KeyChoice | undefined> {
  const name = flags['key-env'];
  if (name !== undefined) return variableKey(name);
  if (!flags['key-stdin']) return undefined;
  const text = await readStdin(MOST_KEY_BYTES);
  // Masking looks for the whole text, which is no key if it is too long.
  if (text.length <= MOST_KEY_BYTES) context.onSecret?.(text.trim());
  return parseKey(text);
}

/** The message of an expected error; others are thrown. */
function faultOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    return error.hint === undefined ? error.message : `${error.message}; ${error.hint}`;
  }
}
