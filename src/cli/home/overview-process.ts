/**
 * The child process that reads the overview for the home screen, so that a large memory does not delay
 * keys. It exits with its parent.
 */

import { BACKGROUND_CHECKS, runDoctor, thisHost } from '../../engine/doctor/index.js';
import { createSecretMask, environmentSecrets } from '../../engine/masking/index.js';
import { type BackgroundFinding, OverviewFollower } from '../../engine/overview/index.js';
import { createContext } from '../context.js';
import type { OverviewOrder, OverviewPart } from './show-home.js';

const ended = new AbortController();
process.on('disconnect', () => ended.abort());
// Ctrl-C is a key of the screen; a signal to the whole group is for the process that shows it.
process.on('SIGINT', () => undefined);

function follow(configFile: string | undefined): OverviewFollower {
  const mask = createSecretMask(environmentSecrets(process.env));
  const context = createContext(mask);
  const follower = new OverviewFollower({
    context,
    configFile,
    onUpdate: (update: OverviewPart) => {
      // The parent process may have exited.
      if (process.connected) process.send?.(mask.data(update), () => undefined);
    },
    runBackgroundChecks: async (signal): Promise<readonly BackgroundFinding[]> => {
      const options = { context, configFile, host: thisHost(), checks: BACKGROUND_CHECKS, signal };
      const { checks } = await runDoctor(options);
      return checks.flatMap(({ findings }) =>
        findings.flatMap(({ severity, message, hint }) =>
          severity === 'note' ? [] : [{ severity, message, hint }],
        ),
      );
    },
    signal: ended.signal,
  });
  void follower.run().finally(() => process.disconnect?.());
  return follower;
}

let follower: OverviewFollower | undefined;
process.on('message', (order: OverviewOrder) => {
  if (order.type === 'follow') follower ??= follow(order.configFile);
  else follower?.refresh();
});
