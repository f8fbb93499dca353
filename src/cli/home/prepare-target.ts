import { spawn } from 'node:child_process';
import { type LoadedConfig, loadConfig } from '../../engine/config/index.js';
import { dreamTargets } from '../../engine/dreaming/index.js';
import { messageOf, SvcError } from '../../engine/errors/index.js';
import { openExistingFlows } from '../../engine/flows/index.js';
import { type OpenedMemory, openMemory } from '../../engine/memory/index.js';
import { watchedWebhooks } from '../../engine/serve/watched-webhooks.js';
import { anySignal, deferred } from '../../engine/support/async.js';
import { shellWord } from '../../engine/support/text.js';
import type { Note } from '../../ui/components/screen.js';
import { summaryWords } from '../../ui/memory/sync-summary.js';
import type { HomeTarget } from '../../ui/screens/home/lines.js';
import type { PreparedScreen } from '../../ui/screens/home/run.js';
import type { openWebhooksScreen as OpenWebhooksScreen } from '../../ui/screens/webhooks/run.js';
import type { CommandContext } from '../command-context.js';
import { programWords } from '../context.js';
import { MOST_WATCHED } from '../flows-command.js';
import { endOfForeground } from '../foreground.js';
import { askText } from '../prompts.js';
import { failureWords } from '../report-error.js';
import { showSync } from '../show-sync.js';
import { screenOptions, toClipboard } from '../terminal.js';

/**
 * Loads what the screen behind a line of home needs.
 *
 * @param closing aborted when the person left home before the screen was ready
 * @throws SvcError what opening a memory, the flows or the configuration does
 */
export async function prepareTarget(
  target: HomeTarget,
  command: CommandContext,
  closing: AbortSignal,
): Promise<PreparedScreen | Note> {
  switch (target.kind) {
    case 'search': {
      const { runSearchScreen } = await import('../search-screen.js');
      await import('../../ui/screens/search/run.js');
      return withMemory(target.agent, command, closing, (memory) =>
        untilLeft(() => runSearchScreen(memory, command)),
      );
    }
    case 'index':
      return withMemory(target.agent, command, closing, (memory) => showIndexing(memory, command));
    case 'diagnosis': {
      const { showMemoryDiagnosis } = await import('../show-diagnosis.js');
      await import('../../ui/screens/provider/run.js');
      return withMemory(target.agent, command, closing, (memory) =>
        untilLeft(() => showMemoryDiagnosis(memory, command)),
      );
    }
    case 'candidates':
      return prepareCandidates(target.agent, command);
    case 'flows':
    case 'tasks':
      return prepareList(target.kind, command, closing);
    case 'listener': {
      const { context, configFile } = command;
      const { openWebhooksScreen } = await import('../../ui/screens/webhooks/run.js');
      const loaded = await loadConfig(context, { configFile });
      return () => untilLeft(() => watchListener(openWebhooksScreen, loaded, command));
    }
    case 'doctor': {
      const { showDoctor } = await import('../show-doctor.js');
      await import('../../ui/screens/doctor/run.js');
      return () => untilLeft(() => showDoctor(false, command));
    }
    case 'set-up':
      return () => untilLeft(() => runFromHome(SET_UP, command));
    case 'command':
      return () => untilLeft(() => runFromHome(target.argv, command));
  }
}

/** Updates an index; Ctrl-C stops that, and not home. */
async function showIndexing(memory: OpenedMemory, command: CommandContext): Promise<Note> {
  const stopping = new AbortController();
  const summary = await showSync(memory, {
    ...command,
    signal: anySignal([command.signal, stopping.signal]),
    onInterrupt: () => {
      if (stopping.signal.aborted) process.exit(130);
      stopping.abort(new SvcError('INTERRUPTED', 'stopped'));
    },
  });
  const failure = summary.embedding?.failure;
  const text = `${memory.name}: ${summaryWords(summary)}`;
  return failure === undefined
    ? { text, isFault: false }
    : { text: `${text}; not all passages have vectors: ${failure.message}`, isFault: true };
}

async function prepareCandidates(agent: string, command: CommandContext): Promise<PreparedScreen> {
  const { context, configFile, signal } = command;
  const { showCandidates } = await import('../dream/candidates-screen.js');
  await import('../../ui/screens/candidates/run.js');
  const loaded = await loadConfig(context, { configFile });
  const target = dreamTargets(loaded, context).find(({ agents }) =>
    agents.some((id) => id === agent),
  );
  if (target === undefined) throw new SvcError('AGENT_UNKNOWN', `unknown agent "${agent}"`);
  const options = { clock: context.clock, signal, onWait: undefined };
  return async () => ({
    text: await showCandidates(target, options, command),
    isFault: false,
  });
}

/** Does not open the flows where there are none, since that would create their database. */
async function prepareList(
  kind: 'flows' | 'tasks',
  command: CommandContext,
  closing: AbortSignal,
): Promise<PreparedScreen | Note> {
  const { context, configFile } = command;
  const { resolved } = await loadConfig(context, { configFile });
  const flows = await openExistingFlows(context, resolved);
  if (flows === undefined) {
    const text = `no ${kind} yet: webhook routes create them, see svc webhook call --help`;
    return { text, isFault: false };
  }
  const { watchFlows } = await import('../watch-flows.js');
  await import('../../ui/screens/flows/run.js');
  if (closing.aborted) await flows.close();
  const filter = { limit: MOST_WATCHED };
  return async () => {
    try {
      await watchFlows({ kind, filter }, flows, command);
      return undefined;
    } finally {
      await flows.close();
    }
  };
}

/** Opens a memory for one screen and closes it afterwards. */
async function withMemory(
  agentId: string,
  { context, configFile }: CommandContext,
  closing: AbortSignal,
  show: (memory: OpenedMemory) => Promise<Note | undefined>,
): Promise<PreparedScreen> {
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
async function untilLeft(show: () => Promise<unknown>): Promise<undefined> {
  try {
    await show();
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'INTERRUPTED') throw error;
  }
  return undefined;
}

/** How often to check for a running listener. */
const POLL_MS = 1000;

/** Shows the routes and the activity of another process's listener until the person leaves. */
async function watchListener(
  openScreen: typeof OpenWebhooksScreen,
  loaded: LoadedConfig,
  { context, terminal, mask, signal }: CommandContext,
): Promise<void> {
  const watched = watchedWebhooks(context, loaded, mask);
  const closed = deferred<void>();
  const leave = (): void => closed.resolve();
  const screen = openScreen({
    ...screenOptions(terminal),
    now: context.clock.now,
    mask: mask.data,
    explain: (error) => failureWords(error, mask),
    copy: toClipboard,
    isWatched: true,
    // Another process cannot be reloaded from here.
    onReload: async () => '',
    onStop: leave,
  });
  const refresh = (): void => screen.setServe(mask.data(watched.serving()));
  const timer = setInterval(refresh, POLL_MS);
  signal.addEventListener('abort', leave);
  try {
    screen.setWebhooks(watched);
    refresh();
    if (signal.aborted) leave();
    await Promise.race([closed.promise, screen.failed]);
  } finally {
    signal.removeEventListener('abort', leave);
    clearInterval(timer);
    await screen.close();
    await watched.close();
  }
}

const SET_UP = ['config', 'init'];
/** Its exit code if the person quits. */
const INTERRUPTED = 130;

/** Commands that show a screen and nothing that is not in it, when they are run without a value. */
const WITH_SCREEN = ['config doctor', 'dream candidates', 'memory search', 'provider test'];

/**
 * Runs a command of svc in the normal terminal. Its output stays visible until the person goes back, except that of a
 * screen.
 */
async function runFromHome(
  argv: readonly string[],
  { configFile, signal }: Pick<CommandContext, 'configFile' | 'signal'>,
): Promise<void> {
  const [command, ...script] = programWords();
  process.stdout.write(`$ svc ${argv.map(shellWord).join(' ')}\n\n`);
  const child = spawn(command, [...process.execArgv, ...script, ...argv], {
    stdio: 'inherit',
    env: configFile === undefined ? process.env : { ...process.env, SVC_CONFIG: configFile },
  });
  const end = await endOfForeground(child).catch(messageOf);
  const words = argv.filter((word) => !word.startsWith('--agent=')).join(' ');
  const code = typeof end === 'string' ? end : (end.code ?? end.signal);
  if (code === 0 && WITH_SCREEN.includes(words)) return;
  // Quitting the questions needs no confirmation.
  if (code === INTERRUPTED && words === SET_UP.join(' ')) return;
  const failure = typeof end === 'string' ? end : `exit code ${code}`;
  process.stdout.write(code === 0 ? '\n' : `\n${failure}\n`);
  await pressEnter(signal);
}

/** Waits below the output of something that ran outside of the screen. */
async function pressEnter(signal: AbortSignal): Promise<void> {
  // Without a screen, the process would exit while it waits for stdin.
  process.stdin.ref();
  try {
    const help = 'Enter returns to the home screen.';
    await askText('Press Enter to go back', { standard: ' ', help, signal });
  } finally {
    // The last prompt stops reading stdin one tick after its answer; see terminal/session.ts.
    await new Promise((resolve) => setImmediate(resolve));
  }
}
