import { isatty } from 'node:tty';
import type { LoadedConfig } from '../engine/config/index.js';
import { systemErrorCode } from '../engine/errors/index.js';
import {
  type ServeOptions,
  type ServeOutput,
  ServeProcess,
  type ServiceSwitch,
  type StopReason,
} from '../engine/serve/index.js';
import { isAtLeast, parseLogLine } from '../engine/serve/log/log-record.js';
import { typedPath } from '../engine/support/context.js';
import type { openServeScreen, ServeScreenOptions } from '../ui/screens/serve/run.js';
import { renderLogRecord } from '../ui/serve/log-line.js';
import { BaseCommand } from './base-command.js';
import type { CommandContext } from './command-context.js';
import { programWords } from './context.js';
import { switchFlag } from './flags.js';
import { failureWords } from './report-error.js';
import { writeStderr } from './stderr.js';
import { screenOptions, toClipboard } from './terminal.js';

interface ServeRequest {
  readonly without: readonly ServiceSwitch[];
  /** Logs JSON lines to stderr, and shows no screen. */
  readonly jsonLogs?: boolean;
  readonly adjust?: ServeOptions['adjust'];
  /** Shows the webhooks screen instead of all services. */
  readonly webhooksScreen?: boolean;
}

/** Either of the screens. */
type OpenScreen = Omit<ReturnType<typeof openServeScreen>, 'addRecord'> &
  Partial<Pick<ReturnType<typeof openServeScreen>, 'addRecord'>>;

/**
 * Runs svc serve until a signal or a key on its screen stops it. On a terminal it shows all services; elsewhere it logs
 * to stderr.
 *
 * @throws SvcError as `ServeProcess.run` does
 */
async function showServe(request: ServeRequest, command: CommandContext): Promise<ServeOutput> {
  const { context, configFile, terminal, view, quiet, verbose, mask } = command;
  const { without, adjust, jsonLogs = false } = request;
  let screen: OpenScreen | undefined;
  const hasScreen = terminal.screen && !quiet && !jsonLogs;
  const onScreen = (line: string): void => {
    const record = parseLogLine(line);
    if (record !== undefined) screen?.addRecord?.(record);
  };
  const serveOptions: ServeOptions = {
    context,
    configFile,
    without,
    completeForgetting: async (memory, work) => {
      // Loads every store.
      const { completeForgetting } = await import('./memory-stores.js');
      return completeForgetting(memory, context, work);
    },
    program: programWords(),
    pid: process.pid,
    command: request.webhooksScreen === true ? 'svc webhook serve' : 'svc serve',
    mask,
    hintFor: view.hintFor,
    adjust,
    ...(hasScreen ? { onLine: onScreen } : onStderr(command, jsonLogs)),
    onWebhooks: (live) => screen?.setWebhooks(live),
    onChange: (state) => screen?.setServe(state),
    ...(verbose ? { level: 'debug' } : {}),
  };
  const serve = new ServeProcess(serveOptions);
  const signals = listenForOrders({
    stop: (reason) => {
      screen?.setStopping();
      serve.stop(reason);
    },
    reload: () => void serve.reload(),
    logUncaught: (error, continues) => serve.logUncaught(error, continues),
    exit: (code) => process.exit(code),
  });
  try {
    if (!hasScreen) return await serve.run();
    const opened = await openScreen(request, command, serve, {
      onReload: async () => {
        const fault = await serve.reload();
        if (fault !== undefined) throw fault;
        return 'configuration reloaded';
      },
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

async function openScreen(
  { webhooksScreen }: ServeRequest,
  { context, terminal, mask }: CommandContext,
  serve: ServeProcess,
  keys: Pick<ServeScreenOptions, 'onReload' | 'onStop'>,
): Promise<OpenScreen> {
  const { homeDir, clock } = context;
  const explain = (error: unknown): string => failureWords(error, mask);
  const shared = { ...screenOptions(terminal), homeDir, explain, now: clock.now, ...keys };
  if (webhooksScreen === true) {
    const { openWebhooksScreen } = await import('../ui/screens/webhooks/run.js');
    return openWebhooksScreen({ ...shared, mask: mask.data, copy: toClipboard });
  }
  const { openServeScreen } = await import('../ui/screens/serve/run.js');
  return openServeScreen({ ...shared, queue: async () => mask.data(await serve.queue()) });
}

/** Without `logging.file` the log goes to stderr, in the form that `logging.format` sets. */
function onStderr(
  { view: { style }, quiet }: CommandContext,
  jsonLogs: boolean,
): Pick<ServeOptions, 'onLine' | 'onProblem'> {
  return {
    onLine: (line, { file, format }) => {
      const record = parseLogLine(line);
      if (file !== undefined || (quiet && !isAtLeast(record, 'warn'))) return;
      const isPretty =
        !jsonLogs && (format === 'pretty' || (format === 'auto' && process.stderr.isTTY));
      writeStderr(isPretty && record !== undefined ? `${renderLogRecord(record, style)}\n` : line);
    },
    onProblem: (why) => writeStderr(`warning: cannot write the log: ${why}\n`),
  };
}

/** What signals and uncaught errors trigger. */
interface ServeOrders {
  /** Called for the first order to stop only. */
  readonly stop: (reason: StopReason) => void;
  readonly reload: () => void;
  /** An error that nothing caught. */
  readonly logUncaught: (error: unknown, continues: boolean) => void;
  /** A second order to stop: exits immediately. */
  readonly exit: (code: number) => void;
}

type OrderedStop = Exclude<StopReason, 'crash'>;

/** Exit codes for a second order to stop. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, quit: 130 } as const satisfies Record<
  OrderedStop,
  number
>;

/** Shortages of the system: one operation failed, the process can continue. */
const SHORTAGES = new Set(['EMFILE', 'ENFILE', 'ENOSPC', 'EDQUOT', 'ENOMEM', 'EPIPE', 'EIO']);

/**
 * Listens for SIGTERM and SIGINT (stop; immediately the second time), SIGHUP (reload) and uncaught errors: a shortage
 * is reported and survived, anything else stops the process in order.
 */
export function listenForOrders(orders: ServeOrders) {
  let isStopping = false;
  const stop = (reason: OrderedStop): void => {
    if (isStopping) orders.exit(EXIT_CODES[reason]);
    isStopping = true;
    orders.stop(reason);
  };
  const onInterrupt = (): void => stop('SIGINT');
  const onTerminate = (): void => stop('SIGTERM');
  const hadTerminal = isatty(0);
  const onHangUp = (): void => {
    // A closed terminal sends SIGHUP too, and more than once: that does not count as a second order.
    if (!hadTerminal || isatty(0)) orders.reload();
    else if (!isStopping) onTerminate();
  };
  const onUncaught = (error: unknown): void => {
    const continues = SHORTAGES.has(systemErrorCode(error) ?? '');
    orders.logUncaught(error, continues);
    if (!continues) orders.stop('crash');
  };
  // A closed pipe or a full disk behind stdout is no reason to stop.
  const onBrokenStream = (): void => undefined;
  process.on('SIGINT', onInterrupt).on('SIGTERM', onTerminate).on('SIGHUP', onHangUp);
  process.on('uncaughtException', onUncaught).on('unhandledRejection', onUncaught);
  process.stdout.on('error', onBrokenStream);
  return {
    stop,
    close: () => {
      process.off('SIGINT', onInterrupt).off('SIGTERM', onTerminate).off('SIGHUP', onHangUp);
      process.off('uncaughtException', onUncaught).off('unhandledRejection', onUncaught);
      process.stdout.off('error', onBrokenStream);
    },
  };
}

/** Base of the commands that run until they are stopped: `svc serve` and `svc webhook serve`. */
export abstract class ServeCommand extends BaseCommand {
  /** Something may still be running: a service, or a request. */
  private isCutOff = false;

  protected async serve(request: ServeRequest): Promise<ServeOutput> {
    const { config } = this.shared;
    // What it logs, and what svc status shows of it, is read in any folder.
    if (config !== undefined) {
      this.shared = { ...this.shared, config: typedPath(config, this.context()) };
    }
    const end = await showServe(request, await this.commandContext());
    if (end.reason === 'SIGINT') this.setExitCode(130);
    else if (end.reason === 'crash' || !end.drained) this.setExitCode(1);
    this.isCutOff = !end.drained;
    return end;
  }

  protected override async finally(): Promise<void> {
    await super.finally();
    // Runs after the result is printed.
    if (this.isCutOff) setImmediate(() => process.exit());
  }
}

/** Flags of commands that serve webhooks. */
export const accessLogFlag = {
  'access-log': switchFlag('Log each request to the webhook listener (logging.accessLog).'),
};

/** A configuration with what these flags change. */
export function withAccessLog(loaded: LoadedConfig, flags: { readonly 'access-log': boolean }) {
  if (!flags['access-log']) return loaded;
  const { resolved } = loaded;
  return {
    ...loaded,
    resolved: { ...resolved, logging: { ...resolved.logging, accessLog: true } },
  };
}
