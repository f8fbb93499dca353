import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../errors/index.js';
import { ifReadable, PRIVATE_MODE, replaceFile } from '../support/files.js';
import { isRecord, parsedJson } from '../support/text.js';
import type { ServiceSnapshot } from './service.js';

/** What a running `svc serve` stores about itself. */
export interface ServeState {
  readonly pid: number;
  readonly startedMs: number;
  /** Absolute path of the configuration; null for the defaults. */
  readonly configFile: string | null;
  /** Absolute path of the log; null if there is none. */
  readonly logFile: string | null;
  readonly services: readonly ServiceSnapshot[];
}

/** Changes in quick succession are written together. */
const WRITE_AFTER_MS = 200;

function pathOf(stateDir: string): string {
  return join(stateDir, 'serve.json');
}

/**
 * The state that an instance last wrote, or undefined. It remains when the process is killed; see
 * runningServeState.
 */
export function readStateFile(stateDir: string): ServeState | undefined {
  const state = parsedJson(ifReadable(() => readFileSync(pathOf(stateDir), 'utf8')) ?? '');
  return isServeState(state) ? state : undefined;
}

/** Whether an instance wrote a state, readable or not. */
export function hasStateFile(stateDir: string): boolean {
  return existsSync(pathOf(stateDir));
}

/** Only this program writes the file, as a whole, so that a rough check is enough. */
function isServeState(value: unknown): value is ServeState {
  if (!isRecord(value)) return false;
  const { pid, startedMs, services } = value;
  return typeof pid === 'number' && typeof startedMs === 'number' && Array.isArray(services);
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

  touch(): void {
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
