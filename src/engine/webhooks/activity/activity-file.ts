import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '../../config/index.js';
import { PRIVATE_MODE, replaceFile } from '../../replace-file.js';
import type { RouteActivity } from './activity.js';

/** Requests that come in quick succession are written down together. */
const WRITE_AFTER_MS = 2000;

function pathOf(stateDir: string): string {
  return join(stateDir, 'webhooks.json');
}

/** What the routes have done so far, by their ids. A file that is not there, or no such file, is none. */
export function readActivity(stateDir: string): Readonly<Record<string, RouteActivity>> {
  try {
    const state: unknown = JSON.parse(readFileSync(pathOf(stateDir), 'utf8'));
    if (!isRecord(state) || !isRecord(state['routes'])) return {};
    return Object.fromEntries(
      Object.entries(state['routes']).flatMap(([id, route]) => {
        const read = readRoute(route);
        return read === undefined ? [] : [[id, read]];
      }),
    );
  } catch {
    return {};
  }
}

function readRoute(value: unknown): RouteActivity | undefined {
  if (!isRecord(value)) return undefined;
  const { requests, rejected, last } = value;
  if (typeof requests !== 'number' || typeof rejected !== 'number') return undefined;
  return { requests, rejected, last: readLast(last) };
}

function readLast(value: unknown): RouteActivity['last'] {
  if (!isRecord(value)) return null;
  const { atMs, status, code, action } = value;
  if (typeof atMs !== 'number' || typeof status !== 'number') return null;
  return { atMs, status, code: textOf(code), action: textOf(action) };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Writes down what the routes have done, a moment after it changed. For operators: it may be lost. */
export class ActivityFile {
  private readonly stateDir: string;
  private readonly current: () => Readonly<Record<string, RouteActivity>>;
  private timer: NodeJS.Timeout | undefined;

  constructor(stateDir: string, current: () => Readonly<Record<string, RouteActivity>>) {
    this.stateDir = stateDir;
    this.current = current;
  }

  /** Something was counted. */
  touch(): void {
    this.timer ??= setTimeout(() => this.write(), WRITE_AFTER_MS).unref();
  }

  /** Writes what is not written yet. */
  close(): void {
    if (this.timer !== undefined) this.write();
  }

  private write(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    try {
      const text = `${JSON.stringify({ routes: this.current() })}\n`;
      replaceFile(pathOf(this.stateDir), text, PRIVATE_MODE);
    } catch {
      // A full disk: the flows tell of it, and the next request tries again.
    }
  }
}
