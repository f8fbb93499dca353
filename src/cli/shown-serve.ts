import type { EngineContext } from '../engine/context.js';
import type { SecretMask } from '../engine/secrets/mask/secret-mask.js';
import {
  type ObserveWebhooks,
  type ServeEnd,
  type ServeOptions,
  ServeProcess,
  type ServiceSwitch,
} from '../engine/serve/index.js';
import { isAtLeast, parseLogLine } from '../engine/serve/log/log-record.js';
import type { OpenServeScreen } from '../ui/screens/serve/run.js';
import { renderLogRecord } from '../ui/serve/log-line.js';
import { createStyle } from '../ui/style.js';
import { listenForOrders } from './serve-signals.js';
import type { TerminalSupport } from './terminal.js';

/** How the long-lived process is run and shown. */
export interface ShownServeOptions {
  readonly context: EngineContext;
  readonly configFile: string | undefined;
  readonly without: readonly ServiceSwitch[];
  readonly terminal: TerminalSupport;
  /** Only what needs somebody's attention on stderr, and no screen. */
  readonly quiet: boolean;
  /** Every step in the log. */
  readonly verbose: boolean;
  readonly mask: SecretMask;
  /** Lines of the log as JSON on stderr, and no screen. */
  readonly jsonLogs?: boolean;
  readonly adjust?: ServeOptions['adjust'];
  /** In place of the screen of all services. */
  readonly webhooksScreen?: boolean;
}

/** Either of the screens. */
interface OpenScreen extends OpenServeScreen {
  readonly webhooks?: ObserveWebhooks;
}

/**
 * Runs the long-lived process until a signal, or a key on its screen, ends it. On a terminal it shows
 * all services; elsewhere its log goes to stderr.
 *
 * @throws SvcError as `ServeProcess.run` does
 */
export async function shownServe(options: ShownServeOptions): Promise<ServeEnd> {
  const { context, configFile, without, terminal, quiet, verbose, mask } = options;
  const { adjust, jsonLogs = false } = options;
  let screen: OpenScreen | undefined;
  const hasScreen = terminal.screen && !quiet && !jsonLogs;
  const serveOptions: ServeOptions = {
    context,
    configFile,
    without,
    program: ownProgram(),
    pid: process.pid,
    mask,
    adjust,
    ...(hasScreen ? { onLine: undefined } : onStderr(terminal, quiet, jsonLogs)),
    onWebhooks: (live) => screen?.webhooks?.(live),
    onChange: (state) => screen?.changed(state),
    ...(verbose ? { level: 'debug' } : {}),
  };
  const serve = new ServeProcess(serveOptions);
  const signals = listenForOrders({
    stop: (reason) => {
      screen?.stopping();
      serve.stop(reason);
    },
    reload: () => void serve.reload(),
    stray: (error, goesOn) => serve.stray(error, goesOn),
    exit: (code) => process.exit(code),
  });
  try {
    if (!hasScreen) return await serve.run();
    const opened = await openScreen(options, {
      onReload: () => void serve.reload(),
      onStop: (key) => signals.stop(key === 'q' ? 'quit' : 'SIGINT'),
    });
    screen = opened;
    const running = serve.run();
    try {
      return await Promise.race([running, opened.failed]);
    } catch (error) {
      serve.stop('crash');
      await running.catch(() => undefined);
      throw error;
    }
  } finally {
    await screen?.close();
    signals.close();
  }
}

/** As it was started, for the parts that run as processes of their own. */
function ownProgram(): ServeOptions['program'] {
  const [node, script] = process.argv;
  return node === undefined || script === undefined ? undefined : [node, script];
}

interface ScreenKeys {
  readonly onReload: () => void;
  readonly onStop: (key: 'ctrl-c' | 'q') => void;
}

async function openScreen(
  { context, terminal, webhooksScreen, mask }: ShownServeOptions,
  keys: ScreenKeys,
): Promise<OpenScreen> {
  const { stdin, stdout } = process;
  const style = createStyle(terminal.color);
  const { homeDir, clock } = context;
  const shared = { stdin, stdout, style, homeDir, now: () => clock.now(), ...keys };
  if (webhooksScreen === true) {
    const { openWebhooksScreen } = await import('../ui/screens/webhooks/run.js');
    return openWebhooksScreen({ ...shared, mask: (data) => mask.data(data) });
  }
  const { openServeScreen } = await import('../ui/screens/serve/run.js');
  return openServeScreen(shared);
}

/** `logging.file` stands for stderr; `logging.format` says how lines look there. */
function onStderr(
  terminal: TerminalSupport,
  quiet: boolean,
  jsonLogs: boolean,
): Pick<ServeOptions, 'onLine' | 'onTrouble'> {
  const style = createStyle(terminal.color);
  const say = (text: string): void => {
    try {
      process.stderr.write(text);
    } catch {
      // A file behind stderr on a full disk; the log itself tells of that.
    }
  };
  return {
    onLine: (line, { file, format }) => {
      const record = parseLogLine(line);
      if (file !== undefined || (quiet && !isAtLeast(record, 'warn'))) return;
      const isPretty =
        !jsonLogs && (format === 'pretty' || (format === 'auto' && process.stderr.isTTY));
      say(isPretty && record !== undefined ? `${renderLogRecord(record, style)}\n` : line);
    },
    onTrouble: (why) => say(`warning: the log is not written: ${why}\n`),
  };
}
