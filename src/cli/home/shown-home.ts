import { loadConfig, searchedAgents } from '../../engine/config/index.js';
import { SvcError } from '../../engine/errors/index.js';
import type { PaletteCommand, PaletteValue } from '../../ui/screens/home/palette.js';
import type { HomeScreenOptions } from '../../ui/screens/home/run.js';
import { type ManifestCommand, readManifest } from '../manifest.js';
import { failureWords } from '../report-error.js';
import { screenOptions } from '../screen-options.js';
import { followInProcess } from './follow-in-process.js';
import type { ShownHomeOptions } from './home-options.js';

/** Shows home and the screens opened from it until the person quits. */
export async function shownHome(options: ShownHomeOptions): Promise<void> {
  const { context, configFile, root, terminal, mask, signal } = options;
  const { clock, homeDir } = context;
  const shared: Omit<HomeScreenOptions, 'before' | 'known'> = {
    ...screenOptions(terminal),
    homeDir,
    now: () => clock.now(),
    follow: followInProcess({ root, configFile }),
    commands: () => paletteCommands(root),
    prepare: async (target, closing) => {
      const { prepareTarget } = await import('./prepare-target.js');
      return prepareTarget(target, { ...options, closing });
    },
    explain: (error) => failureWords(error, mask),
    signal,
  };
  const known = await knownAtOnce(options);
  const { runHomeScreen } = await import('../../ui/screens/home/run.js');
  let before: HomeScreenOptions['before'];
  for (;;) {
    const end = await runHomeScreen({ ...shared, known, before });
    if (end.type === 'left') return;
    try {
      before = { state: end.state, told: await end.open() };
    } catch (error) {
      if (signal.aborted) return;
      // Home shows the error of a screen.
      before = { state: end.state, told: { text: failureWords(error, mask), isFault: true } };
    }
  }
}

/**
 * The agents of the configuration, so that the first frame has a row for each. A faulty configuration is reported by the
 * process that reads everything else.
 */
async function knownAtOnce({
  context,
  configFile,
}: ShownHomeOptions): Promise<HomeScreenOptions['known']> {
  try {
    const loaded = await loadConfig(context, { configFile });
    const { file, resolved } = loaded;
    const agents = searchedAgents(loaded, context);
    const workspaces = new Set(agents.map(({ workspaceDir }) => workspaceDir));
    const reserved = { dreams: workspaces.size, storage: resolved.storage.url !== undefined };
    if (file === undefined) return { news: {}, reserved };
    const named = agents.map(({ id }) => ({ name: id, glance: undefined, faults: [] }));
    return { news: { config: { state: 'read', file }, agents: named }, reserved };
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    return { news: {}, reserved: { dreams: 1, storage: false } };
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
    ...Object.entries(flags)
      .filter(([, { required }]) => required === true)
      .map(([name, { summary, options }]) => ({
        name,
        flag: name,
        description: described(summary, options),
        isRequired: true,
      })),
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
