import pino from 'pino';
import type { ResolvedConfig } from '../../config/index.js';
import type { SecretMask } from '../../masking/index.js';
import type { Clock } from '../../support/context.js';
import { RotatingFile } from '../../support/rotating-file.js';
import { iso } from '../../support/time.js';

interface LogOptions {
  readonly clock: Clock;
  readonly pid: number;
  /** Masks every line. */
  readonly mask: Pick<SecretMask, 'data'>;
  /** Adds the flags that chose what the process works on to the commands in a hint. */
  readonly hintFor?: ((hint: string) => string) | undefined;
  readonly onLine?: LogLineListener | undefined;
  /** Called once when the file can no longer be written: the log cannot report that itself. */
  readonly onProblem?: ((why: string) => void) | undefined;
}

type Logging = Omit<ResolvedConfig['logging'], 'accessLog' | 'activity'>;

/**
 * Called with each line, as JSON with a line break, and the current `logging` settings. Must not throw.
 */
export type LogLineListener = (line: string, logging: Logging) => void;

export interface LogSettings {
  readonly level: string;
  /** Absolute path. */
  readonly file: string;
  readonly logging: Logging;
}

/** The log of the long-lived process. */
export type ServeLog = ReturnType<typeof createLog>;

/**
 * Creates the log: one JSON object per line, with `level` and `time` as text. It does not use pino's
 * destinations, which end the process or throw on a full disk, and whose workers are files that a bundle does
 * not have.
 */
export function createLog(settings: LogSettings, options: LogOptions) {
  const { hintFor = String } = options;
  let current = settings;
  let file = new RotatingFile(current.file);
  let lost = 0;
  const logger = pino(
    {
      level: settings.level,
      base: { pid: options.pid },
      timestamp: () => `,"time":"${iso(options.clock.now())}"`,
      formatters: {
        level: (level) => ({ level }),
        log: (fields) =>
          typeof fields['hint'] === 'string'
            ? { ...fields, hint: hintFor(fields['hint']) }
            : fields,
      },
      // The default appends the message of the cause, which the messages of svc contain already.
      serializers: { err: pino.stdSerializers.errWithCause },
    },
    {
      write: (text) => {
        // Masked as data, so that the line stays valid JSON.
        const line = `${JSON.stringify(options.mask.data(JSON.parse(text)))}\n`;
        options.onLine?.(line, current.logging);
        const wasFailing = lost > 0;
        if (!file.write(line)) {
          lost += 1;
          if (!wasFailing) options.onProblem?.(file.failure ?? '');
        } else if (wasFailing) {
          const count = lost;
          lost = 0;
          logger.warn({ lost: count }, 'the log can be written again; some lines were lost');
        }
      },
    },
  );
  return {
    logger,
    /** Applies a changed configuration, and reopens the file, which may have been moved away. */
    reopen: (next: LogSettings): void => {
      logger.level = next.level;
      file.close();
      current = next;
      file = new RotatingFile(current.file);
    },
    close: () => file.close(),
  };
}
