import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../errors/index.js';
import { PRIVATE_MODE, replaceFile } from '../replace-file.js';
import type { ServiceSnapshot } from './service-snapshot.js';

/** What a running `svc serve` writes down about itself; times in milliseconds since the epoch. */
export interface ServeState {
  readonly pid: number;
  readonly startedMs: number;
  /** Absolute path of the configuration in use; null when the defaults hold. */
  readonly configFile: string | null;
  /** Absolute path of the log; null when it has none. */
  readonly logFile: string | null;
  readonly services: readonly ServiceSnapshot[];
}

/** Changes that come in quick succession are written down together. */
const WRITE_AFTER_MS = 200;

function pathOf(stateDir: string): string {
  return join(stateDir, 'serve.json');
}

/**
 * The state that an instance wrote down last, or undefined where there is none. It stays behind when
 * its process is killed: ask `isServing` whether there is one.
 */
export function readStateFile(stateDir: string): ServeState | undefined {
  try {
    const state: unknown = JSON.parse(readFileSync(pathOf(stateDir), 'utf8'));
    return isServeState(state) ? state : undefined;
  } catch {
    return undefined;
  }
}

/** Only this program writes the file, in one step: what names a process and services is whole. */
function isServeState(value: unknown): value is ServeState {
  if (typeof value !== 'object' || value === null) return false;
  return (
    'pid' in value &&
    typeof value.pid === 'number' &&
    'startedMs' in value &&
    typeof value.startedMs === 'number' &&
    'services' in value &&
    Array.isArray(value.services)
  );
}

/** Writes the state of this process down, a moment after each change. */
export class StateFile {
  private readonly stateDir: string;
  private readonly current: () => ServeState;
  private readonly onFailure: (why: string) => void;
  private timer: NodeJS.Timeout | undefined;
  private failure: string | undefined;

  /** @param onFailure told once for each reason in a row: a disk stays full for a while */
  constructor(stateDir: string, current: () => ServeState, onFailure: (why: string) => void) {
    this.stateDir = stateDir;
    this.current = current;
    this.onFailure = onFailure;
  }

  /** Something changed. */
  touch(): void {
    this.timer ??= setTimeout(() => this.write(), WRITE_AFTER_MS).unref();
  }

  /** Writes at once. A failure is told and otherwise passed over: the work matters more. */
  write(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    try {
      replaceFile(pathOf(this.stateDir), `${JSON.stringify(this.current())}\n`, PRIVATE_MODE);
      this.failure = undefined;
    } catch (error) {
      const why = messageOf(error);
      if (why !== this.failure) this.onFailure(why);
      this.failure = why;
      // Without a change a full disk that was mended would leave an old state.
      this.timer = setTimeout(() => this.write(), RETRY_MS).unref();
    }
  }

  /** The process ends: there is no state any more. */
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
