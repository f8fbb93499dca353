import { loadConfig, searchedAgents } from '../../engine/config/index.js';
import { SvcError } from '../../engine/errors/index.js';
import type { HomeScreenOptions } from '../../ui/screens/home/run.js';
import { failureWords } from '../report-error.js';
import { screenOptions } from '../screen-options.js';
import { followInProcess } from './follow-in-process.js';
import type { ShownHomeOptions } from './home-options.js';
import { paletteCommands } from './palette-commands.js';

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
