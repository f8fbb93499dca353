import { isatty } from 'node:tty';
import { systemErrorCode } from '../engine/errors/index.js';
import type { StopReason } from '../engine/serve/index.js';

/** What signals and accidents tell the long-lived process. */
export interface ServeOrders {
  /** The first of its kind; the next one does not come here. */
  readonly stop: (reason: StopReason) => void;
  readonly reload: () => void;
  /** Something was thrown that nobody waited for. */
  readonly stray: (error: unknown, goesOn: boolean) => void;
  /** A second order to stop: ends the process at once. */
  readonly exit: (code: number) => void;
}

/** Takes orders from outside, and from the screen. */
export interface ServeSignals {
  /** As a signal would. */
  readonly stop: (reason: Asked) => void;
  readonly close: () => void;
}

type Asked = Exclude<StopReason, 'crash'>;

/** When it is asked a second time. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, quit: 130 } as const satisfies Record<
  Asked,
  number
>;

/** The system is short of something: what was tried failed, the process itself did not. */
const SHORTAGES = new Set(['EMFILE', 'ENFILE', 'ENOSPC', 'EDQUOT', 'ENOMEM', 'EPIPE', 'EIO']);

/**
 * Listens for SIGTERM and SIGINT (stop; at once, when they come again), SIGHUP (reload), and for what
 * nobody caught: a shortage is told and survived, anything else ends the process in order.
 */
export function listenForOrders(orders: ServeOrders): ServeSignals {
  let isStopping = false;
  const stop = (reason: Asked): void => {
    if (isStopping) orders.exit(EXIT_CODES[reason]);
    isStopping = true;
    orders.stop(reason);
  };
  const onInterrupt = (): void => stop('SIGINT');
  const onTerminate = (): void => stop('SIGTERM');
  const hadTerminal = isatty(0);
  const onHangUp = (): void => {
    // The same signal says that the terminal is gone; whoever ran this on one has left.
    if (hadTerminal && !isatty(0)) onTerminate();
    else orders.reload();
  };
  const onStray = (error: unknown): void => {
    const goesOn = SHORTAGES.has(systemErrorCode(error) ?? '');
    orders.stray(error, goesOn);
    if (!goesOn) orders.stop('crash');
  };
  // Nobody reads along any more, or the disk behind it is full: no reason to end.
  const onBrokenStream = (): void => undefined;
  process.on('SIGINT', onInterrupt).on('SIGTERM', onTerminate).on('SIGHUP', onHangUp);
  process.on('uncaughtException', onStray).on('unhandledRejection', onStray);
  process.stderr.on('error', onBrokenStream);
  process.stdout.on('error', onBrokenStream);
  return {
    stop,
    close: () => {
      process.off('SIGINT', onInterrupt).off('SIGTERM', onTerminate).off('SIGHUP', onHangUp);
      process.off('uncaughtException', onStray).off('unhandledRejection', onStray);
      process.stderr.off('error', onBrokenStream);
      process.stdout.off('error', onBrokenStream);
    },
  };
}
