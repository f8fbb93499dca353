import { watch } from 'node:fs';
import { systemErrorCode } from '../../errors/index.js';

/** What a watch says of an entry: its content changed; or it came, went or was replaced. */
export type ChangeKind = 'change' | 'rename';

/** Who is told by a watch. */
export interface WatchListener {
  /** @param name of the entry, relative to the folder; undefined where the system does not tell */
  onChange(kind: ChangeKind, name: string | undefined): void;
  /** The watch is of no use any more. */
  onError(error: unknown): void;
}

/** A watch on a folder, until closed. */
export interface FolderWatch {
  close(): void;
}

/**
 * Opens a watch on a folder, with what lies below it when `recursive`.
 *
 * @throws a system error; see {@link isWatchShortage}
 */
export type OpenWatch = (
  folder: string,
  recursive: boolean,
  listener: WatchListener,
) => FolderWatch;

/** The system's own watches. */
export const openSystemWatch: OpenWatch = (folder, recursive, listener) => {
  const watcher = watch(folder, { recursive, encoding: 'utf8' });
  watcher.on('change', (kind, name) => {
    const named = typeof name === 'string' && name !== '' ? name : undefined;
    listener.onChange(kind === 'change' ? 'change' : 'rename', named);
  });
  watcher.on('error', (error) => listener.onError(error));
  return watcher;
};

/**
 * Whether one watch of the system covers all that lies below a folder. On Linux Node.js would make
 * one of many: one a file.
 */
export function watchesTrees(platform: NodeJS.Platform): boolean {
  return platform === 'darwin' || platform === 'win32';
}

/**
 * Whether a watch was refused because there are none left: ENOSPC is the limit of watches a user
 * (inotify(7)), EMFILE that of instances a user or of handles a process.
 */
export function isWatchShortage(error: unknown): boolean {
  return SHORTAGES.has(systemErrorCode(error) ?? '');
}

const SHORTAGES: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'ENOSPC']);
