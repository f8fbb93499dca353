import type { HomeScreenOptions } from '../../ui/screens/home/run.js';
import { createStyle } from '../../ui/style.js';
import { failureWords } from '../report-error.js';
import { followInProcess } from './follow-in-process.js';
import type { ShownHomeOptions } from './home-options.js';

/** Shows home and the screens opened from it until the person quits. */
export async function shownHome(options: ShownHomeOptions): Promise<void> {
  const { context, configFile, root, terminal, mask, signal } = options;
  const { clock, homeDir } = context;
  const shared: Omit<HomeScreenOptions, 'before'> = {
    stdin: process.stdin,
    stdout: process.stdout,
    style: createStyle(terminal.color),
    homeDir,
    now: () => clock.now(),
    follow: followInProcess({ root, configFile }),
    prepare: async (target, closing) => {
      const { prepareTarget } = await import('./prepare-target.js');
      return prepareTarget(target, { ...options, closing });
    },
    explain: (error) => failureWords(error, mask),
    signal,
  };
  const { runHomeScreen } = await import('../../ui/screens/home/run.js');
  let before: HomeScreenOptions['before'];
  for (;;) {
    const end = await runHomeScreen({ ...shared, before });
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
