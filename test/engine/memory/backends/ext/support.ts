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
  /** Opens the memory, which {@link close} closes. */
  open(options?: OpenMemoryOptions): Promise<OpenedMemory>;
  close(): Promise<void>;
}

/** Makes its home. */
export function extWorld(...options: Parameters<typeof extHome>): ExtWorld {
  const extension = extHome(...options);
  const context = contextOf(extension.home.path, { env: { PATH: process.env['PATH'] } });
  const opened: OpenedMemory[] = [];
  return {
    ...extension,
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

/** The essence of an answer: the backend, the paths of the results, and the codes of the warnings. */
export function gist({ backend, results, warnings }: SearchResponse): unknown {
  return [backend, results.map(({ path }) => path).toSorted(), warnings.map(({ code }) => code)];
}
