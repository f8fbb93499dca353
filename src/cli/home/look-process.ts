/**
 * A process of its own that looks at everything for the home screen: a large memory is walked through
 * there, and keys are never held up. It ends with whoever started it.
 */
import { thisHost } from '../../engine/doctor/host.js';
import { QUIET_CHECKS } from '../../engine/doctor/registry.js';
import { runDoctor } from '../../engine/doctor/run-doctor.js';
import { OverviewFollower } from '../../engine/overview/follow-overview.js';
import type { QuietFinding } from '../../engine/overview/overview-news.js';
import { environmentSecrets } from '../../engine/secrets/mask/environment-secrets.js';
import { createSecretMask } from '../../engine/secrets/mask/secret-mask.js';
import { createContext } from '../context.js';
import type { LookNews, LookOrder } from './look-messages.js';

const ended = new AbortController();
process.on('disconnect', () => ended.abort());
// Ctrl-C is a key of the screen; a signal to the whole group is for the process that shows it.
process.on('SIGINT', () => undefined);

function follow(configFile: string | undefined): OverviewFollower {
  const mask = createSecretMask(environmentSecrets(process.env));
  const context = createContext(mask.learn);
  const follower = new OverviewFollower({
    context,
    configFile,
    tell: (news: LookNews) => {
      // Whoever wanted to hear it may be gone already.
      if (process.connected) process.send?.(mask.data(news), () => undefined);
    },
    checkUp: async (signal): Promise<readonly QuietFinding[]> => {
      const look = { context, configFile, host: thisHost(), checks: QUIET_CHECKS, signal };
      const { checks } = await runDoctor(look);
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
process.on('message', (order: LookOrder) => {
  if (order.type === 'follow') follower ??= follow(order.configFile);
  else follower?.again();
});
