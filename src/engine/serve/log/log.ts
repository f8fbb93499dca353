import pino, { type Logger } from 'pino';
import type { ResolvedConfig } from '../../config/index.js';
import type { Clock } from '../../context.js';
import type { SecretMask } from '../../secrets/mask/secret-mask.js';
import { LOG_ROTATION, RotatingFile } from './rotating-file.js';

/** What the log is told of the process. */
export interface LogOptions {
  readonly clock: Clock;
  readonly pid: number;
  /** Every line goes through it. */
  readonly mask: Pick<SecretMask, 'data'>;
  readonly onLine?: LogLineListener | undefined;
  /** Told once when the file cannot be written any more, and why: it cannot say so itself. */
  readonly onTrouble?: ((why: string) => void) | undefined;
}

/**
 * Takes each line besides the file: JSON with its line break, and what `logging` says at that moment.
 * Must not throw.
 */
export type LogLineListener = (line: string, logging: ResolvedConfig['logging']) => void;

/** What of the configuration the log follows. */
export interface LogSettings {
  readonly level: string;
  /** Absolute path. */
  readonly file: string;
  readonly logging: ResolvedConfig['logging'];
}

/** The log of the long-lived process. */
export interface ServeLog {
  readonly logger: Logger;
  /** Follows a changed configuration, and opens the file anew: somebody may have moved it away. */
  readonly reopen: (settings: LogSettings) => void;
  readonly close: () => void;
}

/**
 * Makes the log: one JSON object a line, with `level` and `time` as words. Written by hand instead of
 * through pino's own destinations: those end the process or throw on a full disk, and their workers
 * are files that a bundle does not have.
 */
export function createLog(settings: LogSettings, options: LogOptions): ServeLog {
  let current = settings;
  let file = new RotatingFile(current.file, LOG_ROTATION);
  let lost = 0;
  const logger = pino(
    {
      level: settings.level,
      base: { pid: options.pid },
      timestamp: () => `,"time":"${new Date(options.clock.now()).toISOString()}"`,
      formatters: { level: (level) => ({ level }) },
    },
    {
      write: (text) => {
        const line = maskedLine(text, options.mask);
        options.onLine?.(line, current.logging);
        const hadTrouble = lost > 0;
        if (!file.write(line)) {
          lost += 1;
          if (!hadTrouble) options.onTrouble?.(file.failure ?? '');
        } else if (hadTrouble) {
          const count = lost;
          lost = 0;
          logger.warn({ lost: count }, 'the log can be written again; lines were lost');
        }
      },
    },
  );
  return {
    logger,
    reopen: (next) => {
      logger.level = next.level;
      file.close();
      current = next;
      file = new RotatingFile(current.file, LOG_ROTATION);
    },
    close: () => file.close(),
  };
}

/** Masked as data, so that a line stays JSON whatever is taken out of it. */
function maskedLine(line: string, mask: Pick<SecretMask, 'data'>): string {
  const record: unknown = JSON.parse(line);
  return `${JSON.stringify(mask.data(record))}\n`;
}
