/**
 * The child process that reads the overview for the home screen, so that a large memory does not delay
 * keys. It exits with its parent. Its argument is the file named by `--config`; it sends parts that are known or changed,
 * with secrets masked, and reads everything again at each message.
 */

import { BACKGROUND_CHECKS, runDoctor, thisHost } from '../../engine/doctor/index.js';
import { createSecretMask, environmentSecrets } from '../../engine/masking/index.js';
import { type BackgroundFinding, overviewFollower } from '../../engine/overview/index.js';
import { createContext } from '../context.js';

const ended = new AbortController();
process.on('disconnect', () => ended.abort());
// Ctrl-C is a key of the screen; a signal to the whole group is for the process that shows it.
process.on('SIGINT', () => undefined);

const [, , configFile] = process.argv;
const mask = createSecretMask(environmentSecrets(process.env));
const context = createContext(mask);
const follower = overviewFollower({
  context,
  configFile,
  onUpdate: (update) => {
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
process.on('message', () => follower.refresh());
void follower.run().finally(() => process.disconnect?.());
