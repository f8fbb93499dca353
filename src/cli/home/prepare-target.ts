import { type LoadedConfig, loadConfig } from '../../engine/config/index.js';
import { dreamTargets } from '../../engine/dreaming/index.js';
import { SvcError } from '../../engine/errors/index.js';
import { openExistingFlows } from '../../engine/flows/index.js';
import { diagnoseMemory } from '../../engine/memory/diagnose-memory.js';
import { type OpenedMemory, openMemory } from '../../engine/memory/index.js';
import { WatchedWebhooks } from '../../engine/serve/watched-webhooks.js';
import { anySignal, deferred } from '../../engine/support/async.js';
import type { Note } from '../../ui/components/status-bar.js';
import { summaryWords } from '../../ui/memory/sync-summary.js';
import type { HomeTarget } from '../../ui/screens/home/lines.js';
import type { OpenedTarget } from '../../ui/screens/home/run.js';
import type { openWebhooksScreen as OpenWebhooksScreen } from '../../ui/screens/webhooks/run.js';
import { MOST_WATCHED } from '../flows-command.js';
import { failureWords } from '../report-error.js';
import { shownSync } from '../shown-sync.js';
import { screenOptions, toClipboard } from '../terminal.js';
import type { ShownHomeOptions } from './run-command.js';

export interface PrepareOptions extends ShownHomeOptions {
  /** Aborted when the person left home before the screen was ready. */
  readonly closing: AbortSignal;
}

/**
 * Loads what the screen behind a line of home needs.
 *
 * @throws SvcError what opening a memory, the flows or the configuration does
 */
export async function prepareTarget(
  target: HomeTarget,
  options: PrepareOptions,
): Promise<OpenedTarget | Note> {
  switch (target.kind) {
    case 'search':
      return prepareSearch(target.agent, options);
    case 'index':
      return prepareIndex(target.agent, options);
    case 'diagnosis':
      return prepareDiagnosis(target.agent, options);
    case 'candidates':
      return prepareCandidates(target.agent, options);
    case 'flows':
    case 'tasks':
      return prepareList(target.kind, options);
    case 'listener':
      return prepareListener(options);
    case 'doctor':
      return prepareDoctor(options);
    case 'set-up':
      return prepareSetUp(options);
    case 'command':
      return prepareCommand(target.argv, options);
  }
}

async function prepareSearch(agent: string, options: PrepareOptions): Promise<OpenedTarget> {
  const { terminal, context, configFile, signal, mask } = options;
  const { runSearchScreen } = await import('../search-screen.js');
  await import('../../ui/screens/search/run.js');
  return withMemory(agent, options, async (memory) => {
    await runSearchScreen({ memory, configFile }, { terminal, context, signal, mask });
    return undefined;
  });
}

async function prepareIndex(agent: string, options: PrepareOptions): Promise<OpenedTarget> {
  const { terminal, context, mask, signal } = options;
  return withMemory(agent, options, async (memory) => {
    const own = new AbortController();
    const summary = await shownSync(memory, {
      force: false,
      terminal,
      homeDir: context.homeDir,
      signal: anySignal([signal, own.signal]),
      onInterrupt: () => {
        if (own.signal.aborted) process.exit(130);
        own.abort(new SvcError('INTERRUPTED', 'stopped'));
      },
      mask,
      write: () => undefined,
    });
    const failure = summary.embedding?.failure;
    const text = `${memory.name}: ${summaryWords(summary)}`;
    return failure === undefined
      ? { text, isFault: false }
      : { text: `${text}; not all passages have vectors: ${failure.message}`, isFault: true };
  });
}

async function prepareDiagnosis(agent: string, options: PrepareOptions): Promise<OpenedTarget> {
  const { context, terminal, signal, mask } = options;
  const { shownDiagnosis } = await import('../shown-diagnosis.js');
  await import('../../ui/screens/provider/run.js');
  return withMemory(agent, options, (memory) =>
    untilLeft(async () => {
      await shownDiagnosis((own, onEvent) => diagnoseMemory(memory, { signal: own, onEvent }), {
        title: `provider path of agent ${memory.name}`,
        context,
        terminal,
        screen: true,
        signal,
        mask,
        write: () => undefined,
      });
    }),
  );
}

async function prepareCandidates(
  agent: string,
  { context, configFile, terminal, mask, signal }: PrepareOptions,
): Promise<OpenedTarget> {
  const { shownCandidates } = await import('../dream/candidates-screen.js');
  await import('../../ui/screens/candidates/run.js');
  const loaded = await loadConfig(context, { configFile });
  const target = dreamTargets(loaded, context).find(({ agents }) =>
    agents.some((id) => id === agent),
  );
  if (target === undefined) throw new SvcError('AGENT_UNKNOWN', `there is no agent "${agent}"`);
  const hand = { clock: context.clock, signal, onWait: undefined };
  return async () => ({
    text: await shownCandidates(target, { terminal, hand, mask }),
    isFault: false,
  });
}

/** Does not open the flows where there are none, since that would create their database. */
async function prepareList(
  kind: 'flows' | 'tasks',
  { context, configFile, terminal, mask, signal, closing }: PrepareOptions,
): Promise<OpenedTarget | Note> {
  const { resolved } = await loadConfig(context, { configFile });
  const flows = await openExistingFlows(context, resolved);
  if (flows === undefined) {
    const text = `no ${kind} yet: webhook routes create them, see svc webhook call --help`;
    return { text, isFault: false };
  }
  const { watchFlows } = await import('../shown-flows-watch.js');
  await import('../../ui/screens/flows/run.js');
  if (closing.aborted) await flows.close();
  const { clock } = context;
  const filter = { limit: MOST_WATCHED };
  return async () => {
    try {
      await watchFlows({ kind, filter }, { flows, terminal, json: false, clock, mask, signal });
      return undefined;
    } finally {
      await flows.close();
    }
  };
}

async function prepareListener(options: PrepareOptions): Promise<OpenedTarget> {
  const { openWebhooksScreen } = await import('../../ui/screens/webhooks/run.js');
  const loaded = await loadConfig(options.context, { configFile: options.configFile });
  return async () => {
    await watchListener(openWebhooksScreen, loaded, options);
    return undefined;
  };
}

async function prepareDoctor({
  context,
  configFile,
  terminal,
  signal,
}: PrepareOptions): Promise<OpenedTarget> {
  const { shownDoctor } = await import('../shown-doctor.js');
  await import('../../ui/screens/doctor/run.js');
  return () =>
    untilLeft(async () => {
      const write = (): void => undefined;
      const shown = { context, configFile, fix: false, terminal, screen: true, signal, write };
      await shownDoctor(shown);
    });
}

async function prepareSetUp(options: PrepareOptions): Promise<OpenedTarget> {
  const { setUpFromHome } = await import('./run-command.js');
  return () => untilLeft(() => setUpFromHome(options));
}

async function prepareCommand(
  argv: readonly string[],
  options: PrepareOptions,
): Promise<OpenedTarget> {
  const { runFromHome } = await import('./run-command.js');
  return () => untilLeft(() => runFromHome(argv, options));
}

/** Opens a memory for one screen and closes it afterwards. */
async function withMemory(
  agentId: string,
  { context, configFile, closing }: PrepareOptions,
  show: (memory: OpenedMemory) => Promise<Note | undefined>,
): Promise<OpenedTarget> {
  const memory = await openMemory(
    context,
    { kind: 'agent', agentId },
    { configFile, longLived: true },
  );
  if (closing.aborted) await memory.backend.close();
  return async () => {
    try {
      return await show(memory);
    } finally {
      await memory.backend.close();
    }
  };
}

/** Quitting early is not a failure here: the person is back at home. */
async function untilLeft(show: () => Promise<void>): Promise<Note | undefined> {
  try {
    await show();
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'INTERRUPTED') throw error;
  }
  return undefined;
}

/** How often to check for a running listener. */
const LOOK_MS = 1000;

/** Shows the routes and the activity of another process's listener until the person leaves. */
async function watchListener(
  openScreen: typeof OpenWebhooksScreen,
  loaded: LoadedConfig,
  { context, terminal, mask, signal }: ShownHomeOptions,
): Promise<void> {
  const watched = new WatchedWebhooks(context, loaded, mask);
  const left = deferred<void>();
  const leave = (): void => left.resolve();
  const screen = openScreen({
    ...screenOptions(terminal),
    now: () => context.clock.now(),
    mask: (data) => mask.data(data),
    explain: (error) => failureWords(error, mask),
    copy: toClipboard,
    isWatched: true,
    // Another process cannot be reloaded from here.
    onReload: () => undefined,
    onStop: leave,
  });
  const look = (): void => screen.changed(mask.data(watched.serving()));
  const looking = setInterval(look, LOOK_MS);
  signal.addEventListener('abort', leave);
  try {
    screen.webhooks(watched);
    look();
    if (signal.aborted) leave();
    await Promise.race([left.promise, screen.failed]);
  } finally {
    signal.removeEventListener('abort', leave);
    clearInterval(looking);
    await screen.close();
    watched.close();
  }
}
