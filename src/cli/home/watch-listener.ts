import type { LoadedConfig } from '../../engine/config/index.js';
import { WatchedWebhooks } from '../../engine/serve/watched-webhooks.js';
import { createStyle } from '../../ui/style.js';
import type { ShownHomeOptions } from './home-options.js';

/** Whether somebody serves is asked this often. */
const LOOK_MS = 1000;

/** Shows the routes, and what the listener of another process does on them, until the person leaves. */
export async function watchListener(
  loaded: LoadedConfig,
  { context, terminal, mask, signal }: ShownHomeOptions,
): Promise<void> {
  const { openWebhooksScreen } = await import('../../ui/screens/webhooks/run.js');
  const watched = new WatchedWebhooks(context, loaded);
  let leave: () => void = () => undefined;
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const screen = openWebhooksScreen({
    stdin: process.stdin,
    stdout: process.stdout,
    style: createStyle(terminal.color),
    now: () => context.clock.now(),
    mask: (data) => mask.data(data),
    isWatched: true,
    // What another process reads is its own affair.
    onReload: () => undefined,
    onStop: () => leave(),
  });
  const look = (): void => screen.changed(mask.data(watched.serving()));
  const looking = setInterval(look, LOOK_MS);
  signal.addEventListener('abort', leave);
  try {
    screen.webhooks(watched);
    look();
    if (signal.aborted) leave();
    await Promise.race([left, screen.failed]);
  } finally {
    signal.removeEventListener('abort', leave);
    clearInterval(looking);
    await screen.close();
    watched.close();
  }
}
