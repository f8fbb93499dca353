import type { LoadedConfig } from '../../engine/config/index.js';
import { diagnoseNamed } from '../../engine/embeddings/diagnosis/diagnose.js';
import type { AgentProviders, Diagnosis } from '../../engine/embeddings/index.js';
import { SvcError, type Warning } from '../../engine/errors/index.js';
import { hasOpenClaw } from '../../engine/imports/index.js';
import { registeredServers } from '../../engine/integrate/index.js';
import { indexOutput, type OpenedMemory, searchOutput } from '../../engine/memory/index.js';
import type { SyncSummary } from '../../engine/memory/sync/index.js';
import {
  applyPlan,
  findWorkspaces,
  firstQuestion,
  type KeyChoice,
  keyState,
  type OpenedSetUp,
  offeredProviders,
  openSetUp,
  planSetUp,
  type SetUpChoices,
  type SetUpOutput,
  type SetUpPlan,
  workspaceState,
} from '../../engine/set-up/index.js';
import { typedPath } from '../../engine/support/context.js';
import { renderSetUpPlan, renderSetUpSummary } from '../../ui/config/config-text.js';
import { renderSearchResults } from '../../ui/memory/search-results.js';
import { renderDiagnosis } from '../../ui/provider/check-lines.js';
import { safeLine } from '../../ui/safe-text.js';
import type { View } from '../../ui/style.js';
import { type CommandContext, withShownHints } from '../command-context.js';
import { askChoice, askText, askYes } from '../prompts.js';
import {
  askIndexAll,
  askKey,
  askProvider,
  askWorkspace,
  type ChosenWorkspace,
  keyFromFlags,
} from './guided.js';
import { offerIntegration } from './offer-integration.js';

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

export interface SetUpWorld extends CommandContext {
  readonly asks: boolean;
  readonly readStdin: (mostBytes: number) => Promise<string>;
  readonly openMemory: (configFile: string) => Promise<OpenedMemory>;
  readonly sync: (memory: OpenedMemory) => Promise<SyncSummary>;
  /** Makes the process exit with 1. */
  readonly fail: () => void;
  readonly warn: (warning: Warning) => void;
}

/**
 * Sets svc up. Settings that are not in the flags are asked for, or get their defaults where nobody can be
 * asked. Nothing is written before the plan was shown and confirmed.
 *
 * @throws SvcError INTERRUPTED when the person quits; CONFIG_*, PROVIDER_UNKNOWN, USAGE, WORKSPACE_*
 */
export async function runSetUp(flags: SetUpFlags, world: SetUpWorld): Promise<SetUpOutput> {
  const { context, signal, asks, write, mask, view } = world;
  // First, so that a key on stdin is always read.
  const key = await keyFromFlags(flags, world.readStdin, context);
  const opened = openSetUp(context, { configFile: flags.config, force: flags.force });
  for (const warning of opened.loaded.warnings) world.warn(warning);

  if (asks) write('Enter accepts the proposal, ? explains a question, Esc cancels.');
  if (asks && opened.before === undefined && (await hasOpenClaw(context))) {
    write(view.hintFor(OPENCLAW_FOUND));
  }
  const workspace = await chooseWorkspace(flags, opened.loaded, world);
  const { plan, diagnosis } = await choosePlan(flags, { opened, workspace, key }, world);
  if (asks) {
    write(renderSetUpSummary(plan, workspace.dir, view));
    await confirmPlan(() => write(renderSetUpPlan(plan, createdPaths(workspace), view)), signal);
  }
  const written = await applyPlan(opened, plan, { context, workspace, signal });
  for (const path of [written.file, written.schemaFile, written.secretsFile]) {
    if (path !== null) write(`wrote ${safeLine(path)}`);
  }
  if (diagnosis?.ok === false) world.fail();
  const first = flags['no-index'] ? undefined : await firstSearch(plan.file, workspace.dir, world);
  const isLeft = first?.search === null;
  if (asks && !isLeft) await offerIntegration(plan.file, world, world.warn);
  if (first?.search) {
    const servers = await registeredServers({ ...context, platform: process.platform });
    const isIntegrated = servers.some(({ moved }) => moved === undefined);
    write(nextSteps({ isIntegrated, isEmpty: first.isEmpty }, view));
  }
  return {
    ...written,
    workspace: workspace.dir,
    provider: plan.provider,
    diagnosis: diagnosis === undefined ? null : mask.data(diagnosis),
    index: first?.index ?? null,
    search: first?.search ?? null,
  };
}

/** Afterwards, what was chosen here would be in conflict. */
const OPENCLAW_FOUND =
  'OpenClaw is set up here. To take over its workspace and settings, press Esc and run: svc config import --from openclaw';

/** Asks until the person agrees. @throws SvcError INTERRUPTED when they do not */
async function confirmPlan(showDetails: () => void, signal: AbortSignal): Promise<void> {
  for (let isShown = false; ; isShown = true) {
    const answer = await askChoice(
      'Write these changes?',
      [
        { value: 'yes', label: 'yes', hint: 'the settings are written' },
        ...(isShown ? [] : [{ value: 'details', label: 'show them first', hint: 'line by line' }]),
        { value: 'no', label: 'no', hint: 'nothing is written' },
      ],
      {
        help: 'The summary above lists what svc will use. Other settings stay as they are.',
        signal,
      },
    );
    if (answer === 'yes') return;
    if (answer === 'no') throw new SvcError('INTERRUPTED', 'nothing was written');
    showDetails();
  }
}

interface SetUpSoFar {
  readonly opened: OpenedSetUp;
  readonly workspace: ChosenWorkspace;
  /** From the flags. */
  readonly key: KeyChoice | undefined;
}

/** Chooses a provider and tests it; a person can choose again when the test fails. */
async function choosePlan(
  flags: SetUpFlags,
  { opened, workspace, key }: SetUpSoFar,
  world: SetUpWorld,
): Promise<{ readonly plan: SetUpPlan; readonly diagnosis: Diagnosis | undefined }> {
  const { context, asks, signal } = world;
  const { model } = flags;
  const chosen = await chooseProvider(flags, opened.providers, key, world);
  const { dir, indexesAll } = workspace;
  const choices = { workspace: dir, indexesAll, model, ...chosen };
  const plan = planSetUp(opened, choices, context);
  const diagnosis = await testPlan(plan, world);
  const isGood = diagnosis?.ok !== false;
  const help =
    'Yes keeps this provider; until it works, svc searches by keywords. No asks for a provider again.';
  if (isGood || !asks || (await askYes('Continue anyway?', false, { help, signal }))) {
    return { plan, diagnosis };
  }
  const unset = { ...flags, provider: undefined, model: undefined };
  return choosePlan(unset, { opened, workspace, key: undefined }, world);
}

async function chooseWorkspace(
  flags: SetUpFlags,
  loaded: LoadedConfig,
  world: SetUpWorld,
): Promise<ChosenWorkspace> {
  const { context, asks } = world;
  const places = findWorkspaces(loaded, context);
  if (flags.workspace === undefined && asks) return askWorkspace(places, world);
  const dir = flags.workspace === undefined ? places[0].dir : typedPath(flags.workspace, context);
  return { dir, withExample: false, indexesAll: await askIndexAll(dir, world, asks) };
}

async function chooseProvider(
  flags: SetUpFlags,
  providers: AgentProviders,
  key: KeyChoice | undefined,
  world: SetUpWorld,
): Promise<Pick<SetUpChoices, 'key' | 'provider'>> {
  const provider = await providerName(flags.provider, providers, world);
  if (provider === undefined || provider === 'none') {
    if (key === undefined && flags.model === undefined)
      return { provider, key: { kind: 'unchanged' } };
    throw new SvcError('USAGE', 'a key or model needs a provider', { hint: 'add --provider NAME' });
  }
  if (key !== undefined) return { provider, key };
  if (world.asks) return { provider, key: await askKey(provider, providers, world) };
  const state = keyState(provider, providers);
  return { provider, key: state.kind === 'variable' ? state : { kind: 'unchanged' } };
}

async function providerName(
  named: string | undefined,
  providers: AgentProviders,
  world: SetUpWorld,
): Promise<string | undefined> {
  if (named !== undefined) {
    // Fails for an unknown name before anything is asked.
    if (named !== 'none' && named !== 'auto') keyState(named, providers);
    return named === 'auto' ? undefined : named;
  }
  const offered = await offeredProviders(providers, world.signal);
  return world.asks ? askProvider(offered, world) : offered.preferred;
}

/** Embeds a test query with the provider of a plan; undefined for keyword search only. Writes nothing. */
async function testPlan(
  { provider, trial }: SetUpPlan,
  { context, signal, write, view, mask }: SetUpWorld,
): Promise<Diagnosis | undefined> {
  if (provider === null) return undefined;
  const work = { clock: context.clock, signal, onEvent: () => undefined };
  const found = await diagnoseNamed(provider, trial, work);
  const checks = withShownHints(found.checks, view);
  const diagnosis = { ...found, checks };
  const title = `testing ${provider}`;
  write(`\n${renderDiagnosis(mask.data(diagnosis), title, view)}`);
  return diagnosis;
}

/** The files and folders to create besides the configuration and the secrets file. */
function createdPaths({ dir, withExample }: ChosenWorkspace): readonly string[] {
  const folder = workspaceState(dir) === 'missing' ? [dir] : [];
  return [...folder, ...(withExample ? [`${dir}/MEMORY.md`] : [])];
}

/** Builds the index and runs a first search, so that the person sees that it works. */
async function firstSearch(
  configFile: string,
  workspace: string,
  { asks, openMemory, sync, warn, signal, write, view }: SetUpWorld,
) {
  const memory = await openMemory(configFile);
  const summary = await sync(memory);
  const index = indexOutput(memory, summary);
  const isEmpty = summary.added + summary.changed + summary.unchanged === 0;
  if (summary.outcome === 'stopped') return { index, search: null, isEmpty };
  const example = await firstQuestion(workspace, () => recentNotes(memory, signal));
  const query = asks && !isEmpty ? await askFirstQuery(safeLine(example), signal) : example;
  if (query === undefined) return { index, search: null, isEmpty };
  // Warnings of a search explain why a memory is empty.
  const response = await memory.backend.search({ query, maxResults: FIRST_RESULTS }, { signal });
  for (const warning of response.warnings) warn(warning);
  if (!isEmpty) {
    write(`\n${safeLine(`? ${response.query}`)}`);
    const compact = view.columns !== undefined;
    write(renderSearchResults(response, { ...view, compact }));
  }
  return { index, search: searchOutput(memory, response), isEmpty };
}

/** They show that it works, and leave the rest of the set-up on the screen. */
const FIRST_RESULTS = 3;

/** A folder of notes can have all of them in folders of any name. */
async function recentNotes(memory: OpenedMemory, signal: AbortSignal): Promise<readonly string[]> {
  const notes = (await memory.backend.list({ signal })).filter(({ kind }) => kind === 'markdown');
  return notes
    .toSorted((a, b) => b.modifiedMs - a.modifiedMs)
    .slice(0, MOST_RECENT)
    .map(({ path }) => path);
}

const MOST_RECENT = 5;

function nextSteps(
  { isIntegrated, isEmpty }: { readonly isIntegrated: boolean; readonly isEmpty: boolean },
  { hintFor }: View,
): string {
  const steps = [
    isEmpty
      ? 'add to the memory, which is empty: svc memory add "a first note"'
      : 'search again (without a question, a screen opens): svc memory search "a question"',
    isIntegrated
      ? 'see the agents that have this memory: svc integrate --list'
      : 'give an agent this memory: svc integrate claude-code',
    'keep the index fresh between searches (optional): svc serve',
  ];
  return `\nNext:\n${steps.map((step) => `  ${hintFor(step)}\n`).join('')}`;
}

/** The set-up is done by then, so leaving this question is no failure. */
async function askFirstQuery(example: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const help = 'A question for your notes, or a few words. Esc ends the set-up here.';
    return await askText('First search', { standard: example, help, signal });
  } catch (error) {
    if (signal.aborted || !(error instanceof SvcError)) throw error;
    return undefined;
  }
}
