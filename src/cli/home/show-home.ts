import { fork } from 'node:child_process';
import { join } from 'node:path';
import { loadConfig, searchedAgents } from '../../engine/config/index.js';
import { SvcError } from '../../engine/errors/index.js';
import type { Overview } from '../../engine/overview/index.js';
import type { Note } from '../../ui/components/screen.js';
import type { PaletteCommand, PaletteValue } from '../../ui/screens/home/palette.js';
import type { FollowHome, HomeFollower, HomeScreenOptions } from '../../ui/screens/home/run.js';
import type { CommandContext } from '../command-context.js';
import { type ManifestCommand, readManifest } from '../manifest.js';
import { failureWords } from '../report-error.js';
import { screenOptions } from '../terminal.js';

/** Shows home and the screens opened from it until the person quits. */
export async function showHome(root: string, command: CommandContext): Promise<void> {
  const { context, terminal, mask, signal, view } = command;
  let unopenedNote: Note | undefined;
  const showLocation = (location: string): void => {
    unopenedNote = { text: `no program to open ${location}`, isFault: false };
  };
  // Text printed between screens would show up below the next one.
  const inHome: CommandContext = { ...command, write: () => undefined, showLocation, quiet: false };
  const shared: Omit<HomeScreenOptions, 'previous' | 'known'> = {
    ...screenOptions(terminal),
    hintFor: view.hintFor,
    homeDir: view.homeDir,
    now: context.clock.now,
    follow: followInProcess(root, command),
    commands: () => paletteCommands(root),
    prepare: async (target, closing) => {
      const { prepareTarget } = await import('./prepare-target.js');
      return prepareTarget(target, inHome, closing);
    },
    explain: (error) => failureWords(error, mask),
    signal,
  };
  const known = await configuredAgents(command);
  const { runHomeScreen } = await import('../../ui/screens/home/run.js');
  let previous: HomeScreenOptions['previous'];
  for (;;) {
    const end = await runHomeScreen({ ...shared, known, previous });
    if (end.type === 'left') return;
    unopenedNote = undefined;
    try {
      const result = await end.open();
      previous = { state: end.state, result: result ?? unopenedNote };
    } catch (error) {
      if (signal.aborted) return;
      // Home shows the error of a screen.
      previous = { state: end.state, result: { text: failureWords(error, mask), isFault: true } };
    }
  }
}

/**
 * The agents of the configuration, so that the first frame has a row for each. A faulty configuration is reported by the
 * process that reads everything else.
 */
async function configuredAgents({
  context,
  configFile,
}: CommandContext): Promise<HomeScreenOptions['known']> {
  try {
    const loaded = await loadConfig(context, { configFile });
    const { file, resolved } = loaded;
    const agents = searchedAgents(loaded, context);
    const workspaces = new Set(agents.map(({ workspaceDir }) => workspaceDir));
    const reserved = { dreams: workspaces.size, storage: resolved.storage.url !== undefined };
    if (file === undefined) return { overview: {}, reserved };
    const unread = agents.map(({ id }) => ({ name: id, status: undefined, faults: [] }));
    return { overview: { config: { state: 'read', file }, agents: unread }, reserved };
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    return { overview: {}, reserved: { dreams: 1, storage: false } };
  }
}

/** Home itself, and what is not for people at a terminal: servers and scripts that other programs start. */
const NOT_FROM_HOME = ['completion:script', 'mcp', 'memory:recall', 'ui'];
/** Topics whose `--agent` chooses a memory. */
const OF_AGENTS = /^(?:dream|memory|provider):/u;

/** Everything that can be run from the home screen, as the commands describe themselves. */
function paletteCommands(root: string): readonly PaletteCommand[] {
  return Object.entries(readManifest(root))
    .filter(([id, { hidden }]) => hidden !== true && !NOT_FROM_HOME.includes(id))
    .map(([key, command]) => {
      const { summary = '', aliases, flags } = command;
      const id = key.replaceAll(':', ' ');
      return {
        id,
        text: [id, ...aliases, summary].join(' '),
        summary,
        values: valuesOf(command),
        takesAgent: OF_AGENTS.test(key) && flags['agent'] !== undefined,
      };
    });
}

/** Required flags, then arguments. */
function valuesOf({ flags, args }: ManifestCommand): readonly PaletteValue[] {
  return [
    ...Object.entries(flags).flatMap(([name, flag]) =>
      flag.type === 'option' && flag.required === true
        ? [
            {
              name,
              flag: name,
              description: described(flag.summary, flag.options),
              isRequired: true,
            },
          ]
        : [],
    ),
    ...Object.entries(args).map(([name, { description, options, required }]) => ({
      name,
      flag: undefined,
      description: described(description, options),
      isRequired: required === true,
    })),
  ];
}

function described(text = '', options: readonly string[] = []): string {
  return options.length === 0 ? text : `${text} One of: ${options.join(', ')}`;
}

const EXTENSION = import.meta.url.endsWith('.ts') ? '.ts' : '.js';

/** Follows the overview in a child process, which is killed when home is closed. */
function followInProcess(root: string, { configFile }: CommandContext): FollowHome {
  return (onOverview, onEnd): HomeFollower => {
    const folder = EXTENSION === '.ts' ? 'src' : 'dist';
    const module = join(root, folder, `cli/home/overview-process${EXTENSION}`);
    const child = fork(module, configFile === undefined ? [] : [configFile], {
      // Keeps its stderr off the screen.
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      serialization: 'advanced',
    });
    let stderr = '';
    let closing = false;
    child.stderr?.on('data', (data: Buffer) => {
      stderr = (stderr + data.toString()).slice(-MOST_STDERR_CHARS);
    });
    child.on('message', (overview: Partial<Overview>) => {
      if (!closing) onOverview(overview);
    });
    child.on('error', (error) => {
      if (!closing) onEnd(error.message);
    });
    const exited = new Promise<void>((resolve) => {
      child.on('close', (code, signal) => {
        resolve();
        if (!closing) onEnd(errorLine(stderr) ?? `it exited with ${code ?? signal}`);
      });
    });
    return {
      refresh: () => {
        if (child.connected) child.send('refresh', () => undefined);
      },
      close: async () => {
        closing = true;
        // It only reads, so killing it is safe.
        child.kill('SIGKILL');
        await exited;
      },
    };
  };
}

const MOST_STDERR_CHARS = 4000;

/** The message line of a stack trace. */
function errorLine(stderr: string): string | undefined {
  const lines = stderr.split('\n').map((line) => line.trim());
  return lines.find((line) => /^\w*Error\b/u.test(line)) ?? lines.find((line) => line !== '');
}
