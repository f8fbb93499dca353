import {
  type OpenedMemory,
  type OpenMemoryOptions,
  openMemory,
} from '../../../../../src/engine/memory/open-memory.js';
import type { SearchResponse } from '../../../../../src/engine/memory/search/types.js';
import { contextOf } from '../../../../support/context.js';
import { type ExtHome, extHome } from '../../../../support/ext-memory.js';

/** A memory that a fake of the external program searches, opened in this process. */
export interface ExtWorld extends ExtHome {
  /** Each is closed by {@link close}. */
  open(options?: OpenMemoryOptions): Promise<OpenedMemory>;
  close(): Promise<void>;
}

export function extWorld(...how: Parameters<typeof extHome>): ExtWorld {
  const made = extHome(...how);
  const context = contextOf(made.home.path, { env: { PATH: process.env['PATH'] } });
  const opened: OpenedMemory[] = [];
  return {
    ...made,
    open: async (options) => {
      const memory = await openMemory(context, { kind: 'agent' }, options);
      opened.push(memory);
      return memory;
    },
    close: async () => {
      for (const { backend } of opened) await backend.close();
    },
  };
}

/** What an answer comes down to: who gave it, where from, and what was to be said. */
export function gist({ backend, results, warnings }: SearchResponse): unknown {
  return [backend, results.map(({ path }) => path).toSorted(), warnings.map(({ code }) => code)];
}
