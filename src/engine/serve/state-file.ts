import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { messageOf } from '../errors/index.js';
import { type DeepReadonly, field, objectOrNullField } from '../errors/output-schema.js';
import { PRIVATE_MODE } from '../support/files.js';
import { readJsonFile } from '../support/json-file.js';
import { replaceFile } from '../support/replace-file.js';

/** One service at one moment, as it is stored, and printed by `svc serve` and `svc status`. */
export const serviceSchema = z.strictObject({
  name: field.text('Such as `health`, `webhooks`, or `memory:` and the id of an agent.'),
  state: field(
    z.enum(['draining', 'ready', 'starting', 'stopped', 'waiting']),
    'See [serve.md](serve.md#services).',
  ),
  since: field.time('When it entered this state.'),
  url: field.textOrNull('Where it listens; `null` if it does not.'),
  event: field.textOrNull('The last event, for people; `null` if there is none.'),
  eventAt: field.timeOrNull('When it happened.'),
  restarts: field.count('How often it was restarted after a failure.'),
  failure: objectOrNullField('What is wrong; `null` if nothing is.', {
    code: field.textOrNull(
      "From [errors.md](errors.md#error-codes), or the system's; `null` for anything else.",
    ),
    message: field.text('For people.'),
    hint: field.textOrNull('How to fix it; `null` if unknown.'),
  }),
  retryAt: field.timeOrNull('When it is restarted; `null` unless `waiting`.'),
});

/** What a running `svc serve` or `svc webhook serve` stores about itself. */
const serveState = z.object({
  /** Which of the two it is; other versions do not store it. */
  command: z._default(z.string(), 'svc serve'),
  pid: z.int().check(z.minimum(1)),
  startedMs: z.number(),
  /** Absolute path of the configuration; null for the defaults. */
  configFile: z.nullable(z.string()),
  /** Absolute path of the log; null if there is none. */
  logFile: z.nullable(z.string()),
  services: z.array(
    // Other versions do not store it.
    z.extend(serviceSchema, { url: z._default(serviceSchema.shape.url, null) }),
  ),
});

export type ServeState = DeepReadonly<z.infer<typeof serveState>>;
export type ServiceSnapshot = ServeState['services'][number];
export type ServiceState = ServiceSnapshot['state'];
/** Why a service does not work, for the screen, the state file and `svc status`. */
export type ServiceFailure = NonNullable<ServiceSnapshot['failure']>;

/** Changes in quick succession are written together. */
const WRITE_AFTER_MS = 200;

function pathOf(stateDir: string): string {
  return join(stateDir, 'serve.json');
}

/**
 * The state that an instance last wrote; undefined if there is none, or another version wrote it. It remains when the
 * process is killed; see runningServeState.
 */
export function readStateFile(stateDir: string): ServeState | undefined {
  return serveState.safeParse(readJsonFile(pathOf(stateDir))).data;
}

/** Whether an instance wrote a state, readable or not. */
export function hasStateFile(stateDir: string): boolean {
  return existsSync(pathOf(stateDir));
}

/** Stores the state of this process, a moment after each change. */
export class StateFile {
  private readonly stateDir: string;
  private readonly current: () => ServeState;
  private readonly onFailure: (why: string) => void;
  private timer: NodeJS.Timeout | undefined;
  private failure: string | undefined;

  /** @param onFailure called once per reason: a disk stays full for a while */
  constructor(stateDir: string, current: () => ServeState, onFailure: (why: string) => void) {
    this.stateDir = stateDir;
    this.current = current;
    this.onFailure = onFailure;
  }

  writeSoon(): void {
    this.timer ??= setTimeout(() => this.write(), WRITE_AFTER_MS).unref();
  }

  /** Writes at once. A failure is reported, but does not stop anything. */
  write(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    try {
      this.store(`${JSON.stringify(this.current())}\n`);
      this.failure = undefined;
    } catch (error) {
      const why = messageOf(error);
      if (why !== this.failure) this.onFailure(why);
      this.failure = why;
      // Once a full disk has room again, the state must not stay outdated.
      this.timer = setTimeout(() => this.write(), RETRY_MS).unref();
    }
  }

  /** An old state must not pass for the current one: on a full disk, it gives its room to the new one. */
  private store(text: string): void {
    const file = pathOf(this.stateDir);
    try {
      replaceFile(file, text, PRIVATE_MODE);
    } catch {
      writeFileSync(file, text, { mode: PRIVATE_MODE });
    }
  }

  remove(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    try {
      rmSync(pathOf(this.stateDir), { force: true });
    } catch (error) {
      this.onFailure(messageOf(error));
    }
  }
}

const RETRY_MS = 5000;
