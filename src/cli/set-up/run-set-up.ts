import { resolvePath } from '../../engine/config/expand-path.js';
import type { EngineContext } from '../../engine/context.js';
import type { Diagnosis } from '../../engine/embeddings/diagnosis/index.js';
import { SvcError, type Warning } from '../../engine/errors/index.js';
import type { OpenedMemory } from '../../engine/memory/open-memory.js';
import { indexOutput, searchOutput } from '../../engine/memory/output.js';
import type { SearchOutput } from '../../engine/memory/output-schemas.js';
import type { SyncSummary } from '../../engine/memory/sync/events.js';
import type { SecretMask } from '../../engine/secrets/mask/secret-mask.js';
import { applyPlan, tryPlan } from '../../engine/set-up/apply.js';
import { type KeyChoice, keyState } from '../../engine/set-up/key-choice.js';
import { offeredProviders } from '../../engine/set-up/offers.js';
import { type OpenedSetUp, openSetUp } from '../../engine/set-up/open-set-up.js';
import type { SetUpOutput } from '../../engine/set-up/output.js';
import { planSetUp, type SetUpPlan } from '../../engine/set-up/plan.js';
import { findWorkspaces, firstQuestion, workspaceState } from '../../engine/set-up/workspace.js';
import { renderSearchResults } from '../../ui/memory/search-results.js';
import { renderDiagnosis } from '../../ui/provider/diagnosis.js';
import { safeLine } from '../../ui/safe-text.js';
import { renderPlan, section } from '../../ui/set-up.js';
import { shownPath } from '../../ui/shown-path.js';
import { createStyle } from '../../ui/style.js';
import type { TerminalSupport } from '../terminal.js';
import { askLine, askYes } from './ask-line.js';
import {
  askKey,
  askProvider,
  askWorkspace,
  type ChosenWorkspace,
  flaggedKey,
  type Guide,
} from './guided.js';

/** The flags of `svc config init` that a set-up goes by. */
export interface SetUpFlags {
  readonly config?: string | undefined;
  readonly force: boolean;
  readonly workspace?: string | undefined;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly 'key-env'?: string | undefined;
  readonly 'key-stdin': boolean;
  readonly 'no-index': boolean;
}

/** What the command lends to a set-up. */
export interface SetUpWorld {
  readonly context: EngineContext;
  readonly terminal: TerminalSupport;
  /** Whether there is somebody to ask. */
  readonly asks: boolean;
  readonly signal: AbortSignal;
  readonly mask: SecretMask;
  /** Writes to stdout, secrets masked; nothing in JSON mode. */
  readonly write: (text: string) => void;
  readonly readStdin: () => Promise<string>;
  readonly openMemory: (configFile: string) => Promise<OpenedMemory>;
  /** Brings an index up to date while the person watches. */
  readonly sync: (memory: OpenedMemory) => Promise<SyncSummary>;
  /** Makes the process exit with 1. */
  readonly fail: () => void;
  readonly warn: (warning: Warning) => void;
}

/**
 * Sets svc up: what flags do not say is asked, or taken as it would be proposed where nobody can be
 * asked. Nothing is written before the plan was shown and accepted.
 *
 * @throws SvcError INTERRUPTED when the person leaves; CONFIG_*, PROVIDER_UNKNOWN, USAGE, WORKSPACE_*
 */
export async function runSetUp(flags: SetUpFlags, world: SetUpWorld): Promise<SetUpOutput> {
  const { context, signal, asks, write, mask } = world;
  const style = createStyle(world.terminal.color);
  const guide: Guide = { context, style, signal, say: write };
  // Before anything is asked: a key on stdin is read whatever comes of the rest.
  const key = await flaggedKey(flags, world.readStdin, context);
  const opened = openSetUp(context, { configFile: flags.config, force: flags.force });
  for (const warning of opened.loaded.warnings) world.warn(warning);

  const workspace = await chooseWorkspace(flags, opened.loaded, guide, asks);
  const { plan, diagnosis } = await choosePlan(flags, { opened, workspace, key, guide }, world);
  if (asks) {
    const { homeDir } = context;
    write(renderPlan(plan, madeBy(workspace), { style, homeDir }));
    if (!(await askYes('write this?', true, { signal }))) {
      throw new SvcError('INTERRUPTED', 'nothing was written');
    }
  }
  const written = await applyPlan(opened, plan, { workspace, signal });
  for (const path of [written.file, written.schemaFile, written.secretsFile]) {
    if (path !== null) write(`wrote ${safeLine(path)}`);
  }
  if (diagnosis?.ok === false) world.fail();
  const first = flags['no-index'] ? undefined : await firstSearch(plan.file, workspace.dir, world);
  return {
    ...written,
    workspace: workspace.dir,
    provider: plan.provider,
    diagnosis: diagnosis === undefined ? null : mask.data(diagnosis),
    index: first?.index ?? null,
    search: first?.search ?? null,
  };
}

/** What is known before a provider is chosen. */
interface SetUpSoFar {
  readonly opened: OpenedSetUp;
  readonly workspace: ChosenWorkspace;
  /** As the flags have it. */
  readonly key: KeyChoice | undefined;
  readonly guide: Guide;
}

/** Chooses a provider and tries it; a person may choose again when it does not work. */
async function choosePlan(
  flags: SetUpFlags,
  { opened, workspace, key, guide }: SetUpSoFar,
  world: SetUpWorld,
): Promise<{ readonly plan: SetUpPlan; readonly diagnosis: Diagnosis | undefined }> {
  const { context, asks, signal } = world;
  const { model } = flags;
  const chosen = await chooseProvider(flags, opened.providers, key, guide, asks);
  const choices = { workspace: workspace.dir, model, ...chosen };
  const plan = planSetUp(opened, choices, context);
  const diagnosis = await tried(plan, world);
  const isGood = diagnosis?.ok !== false;
  if (isGood || !asks || (await askYes('go on with it all the same?', false, { signal }))) {
    return { plan, diagnosis };
  }
  const anew = { ...flags, provider: undefined, model: undefined };
  return choosePlan(anew, { opened, workspace, key: undefined, guide }, world);
}

async function chooseWorkspace(
  flags: SetUpFlags,
  loaded: Parameters<typeof findWorkspaces>[0],
  guide: Guide,
  asks: boolean,
): Promise<ChosenWorkspace> {
  const { cwd, homeDir } = guide.context;
  if (flags.workspace !== undefined) {
    const dir = resolvePath(flags.workspace, cwd, homeDir);
    workspaceState(dir);
    return { dir, withExample: false };
  }
  const places = findWorkspaces(loaded, guide.context);
  return asks ? askWorkspace(places, guide) : { dir: places[0].dir, withExample: false };
}

interface ChosenProvider {
  /** Undefined for words alone. */
  readonly provider: string | undefined;
  readonly key: KeyChoice;
}

async function chooseProvider(
  flags: SetUpFlags,
  providers: Parameters<typeof askProvider>[1],
  key: KeyChoice | undefined,
  guide: Guide,
  asks: boolean,
): Promise<ChosenProvider> {
  const provider = await namedOrOffered(flags.provider, providers, guide, asks);
  if (provider === undefined) {
    if (key === undefined && flags.model === undefined)
      return { provider, key: { kind: 'as-it-is' } };
    throw new SvcError('USAGE', 'a key or a model is of no use without a provider', {
      hint: 'add --provider NAME',
    });
  }
  if (key !== undefined) return { provider, key };
  if (asks) return { provider, key: await askKey(provider, providers, guide) };
  const state = keyState(provider, providers);
  return { provider, key: state.kind === 'variable' ? state : { kind: 'as-it-is' } };
}

async function namedOrOffered(
  named: string | undefined,
  providers: Parameters<typeof askProvider>[1],
  guide: Guide,
  asks: boolean,
): Promise<string | undefined> {
  if (named === 'none') return undefined;
  if (named !== undefined) {
    // Before anything else is asked: a name that nobody bears ends it here.
    keyState(named, providers);
    return named;
  }
  const offered = await offeredProviders(providers, guide.signal);
  return asks ? askProvider(offered, providers, guide) : offered.preferred;
}

async function tried(
  plan: SetUpPlan,
  { context, signal, mask, write, terminal }: SetUpWorld,
): Promise<Diagnosis | undefined> {
  const work = { clock: context.clock, signal, onEvent: () => undefined };
  const diagnosis = await tryPlan(plan, work);
  if (diagnosis === undefined) return undefined;
  const style = createStyle(terminal.color);
  const columns = process.stdout.isTTY ? terminal.columns : undefined;
  const title = `trying ${plan.provider ?? ''}`;
  write(`\n${renderDiagnosis(mask.data(diagnosis), title, { style, columns })}`);
  return diagnosis;
}

/** The files and folders that are made besides the configuration and the key. */
function madeBy({ dir, withExample }: ChosenWorkspace): readonly string[] {
  const folder = workspaceState(dir) === 'missing' ? [dir] : [];
  return [...folder, ...(withExample ? [`${dir}/MEMORY.md`] : [])];
}

/** Builds the index and asks it something, so that the person sees that it works. */
async function firstSearch(
  configFile: string,
  workspace: string,
  { context, terminal, asks, signal, write, openMemory, sync, warn }: SetUpWorld,
): Promise<{ readonly index: SetUpOutput['index']; readonly search: SearchOutput | null }> {
  const style = createStyle(terminal.color);
  if (asks) write(section('5 of 5 · first index', [shownPath(workspace, context.homeDir)], style));
  const memory = await openMemory(configFile);
  const summary = await sync(memory);
  const index = indexOutput(memory, summary);
  if (summary.outcome === 'stopped') return { index, search: null };
  const usual = firstQuestion(workspace);
  const asked = asks ? await askLine(`a first question [${safeLine(usual)}]: `, { signal }) : '';
  const response = await memory.backend.search({ query: asked === '' ? usual : asked }, { signal });
  for (const warning of response.warnings) warn(warning);
  const columns = process.stdout.isTTY ? terminal.columns : undefined;
  write(`\n${safeLine(`? ${response.query}`)}`);
  write(renderSearchResults(response, { style, columns, citations: true }));
  write('\nask again with: svc memory search "…"');
  return { index, search: searchOutput(memory, response) };
}
