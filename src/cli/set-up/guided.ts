import { resolvePath } from '../../engine/config/expand-path.js';
import type { EngineContext } from '../../engine/context.js';
import type { AgentProviders } from '../../engine/embeddings/provider-world.js';
import { SvcError } from '../../engine/errors/index.js';
import { givenKey, type KeyChoice, keyState, variableKey } from '../../engine/set-up/key-choice.js';
import type { ProviderOffers } from '../../engine/set-up/offers.js';
import { type WorkspacePlace, workspaceState } from '../../engine/set-up/workspace.js';
import { renderOffers, renderWorkspaces, section } from '../../ui/set-up.js';
import { shownPath } from '../../ui/shown-path.js';
import type { Style } from '../../ui/style.js';
import { askLine, askYes } from './ask-line.js';

/** What questions are asked with. */
export interface Guide {
  readonly context: EngineContext;
  readonly style: Style;
  readonly signal: AbortSignal;
  /** Writes to the terminal, secrets masked. */
  readonly say: (text: string) => void;
}

/** The folder of the memory, and whether an example is to be put into it. */
export interface ChosenWorkspace {
  /** Absolute. */
  readonly dir: string;
  readonly withExample: boolean;
}

/** Asks which folder the memory is. @throws SvcError INTERRUPTED */
export async function askWorkspace(
  places: readonly [WorkspacePlace, ...WorkspacePlace[]],
  guide: Guide,
): Promise<ChosenWorkspace> {
  const { context, style, signal, say } = guide;
  const { cwd, homeDir } = context;
  say(renderWorkspaces(places, { style, homeDir }));
  for (;;) {
    const answer = await askLine('a number, or a folder [1]: ', { signal });
    const dir = (
      (answer === ''
        ? places[0]
        : /^\d+$/u.test(answer)
          ? places[Number(answer) - 1]
          : undefined) ?? {
        dir: resolvePath(answer, cwd, homeDir),
      }
    ).dir;
    const state = stateOf(dir, say);
    if (state === undefined) continue;
    const name = shownPath(dir, homeDir);
    if (state === 'missing' && !(await askYes(`make ${name}?`, true, { signal }))) continue;
    const withExample =
      state !== 'memory' && (await askYes('put an example MEMORY.md into it?', false, { signal }));
    return { dir, withExample };
  }
}

function stateOf(dir: string, say: Guide['say']): WorkspacePlace['state'] | undefined {
  try {
    return workspaceState(dir);
  } catch (error) {
    say(wordsOf(error));
    return undefined;
  }
}

/** Asks who embeds. @returns undefined for words alone @throws SvcError INTERRUPTED */
export async function askProvider(
  offered: ProviderOffers,
  providers: AgentProviders,
  { style, signal, say }: Guide,
): Promise<string | undefined> {
  const { offers, preferred } = offered;
  say(renderOffers(offered, style));
  const found = offers.findIndex(({ provider }) => provider === preferred);
  const usual = (found === -1 ? offers.length : found) + 1;
  for (;;) {
    const answer = await askLine(`a number, or the name of a provider [${usual}]: `, { signal });
    const number = answer === '' ? usual : /^\d+$/u.test(answer) ? Number(answer) : 0;
    if (number === offers.length + 1 || answer === 'none') return undefined;
    const offer = offers[number - 1];
    if (offer !== undefined) return offer.provider;
    const isAnother = number === offers.length + 2;
    const name = isAnother ? await askLine('its name [openai]: ', { signal }) : answer;
    const wanted = name === '' ? 'openai' : name;
    try {
      keyState(wanted, providers);
      return wanted;
    } catch (error) {
      say(wordsOf(error));
    }
  }
}

/**
 * Asks for the key of a provider where it has none. What is pasted is not shown, and known to the
 * mask before it goes anywhere.
 *
 * @throws SvcError INTERRUPTED
 */
export async function askKey(
  provider: string,
  providers: AgentProviders,
  { context, style, signal, say }: Guide,
): Promise<KeyChoice> {
  const state = keyState(provider, providers);
  if (state.kind === 'variable') {
    say(section('3 of 5 · key', [`from the environment, as env:${state.name}`], style));
    return state;
  }
  if (state.kind !== 'missing' && state.kind !== 'unknown') return state;
  const need =
    state.kind === 'missing'
      ? `${provider} needs a key, and there is none yet`
      : `there is no key for ${provider} yet; its endpoint may want one`;
  say(section('3 of 5 · key', [`${need}; Enter goes on without one`], style));
  for (;;) {
    const text = await askLine('paste it (it is not shown), or type env:NAME: ', {
      signal,
      hidden: true,
    });
    if (text === '') return { kind: 'as-it-is' };
    context.onSecret?.(text);
    try {
      return givenKey(text);
    } catch (error) {
      say(wordsOf(error));
    }
  }
}

/**
 * What the flags say of the key.
 *
 * @param readStdin all of standard input
 * @throws SvcError USAGE
 */
export async function flaggedKey(
  flags: { readonly 'key-env'?: string | undefined; readonly 'key-stdin': boolean },
  readStdin: () => Promise<string>,
  context: EngineContext,
): Promise<KeyChoice | undefined> {
  const name = flags['key-env'];
  if (name !== undefined) return variableKey(name);
  if (!flags['key-stdin']) return undefined;
  const text = await readStdin();
  context.onSecret?.(text.trim());
  return givenKey(text);
}

/** An expected failure as lines; anything else goes on. */
function wordsOf(error: unknown): string {
  if (!(error instanceof SvcError) || error.code === 'INTERRUPTED') throw error;
  return error.hint === undefined ? `${error.message}\n` : `${error.message}\n${error.hint}\n`;
}
