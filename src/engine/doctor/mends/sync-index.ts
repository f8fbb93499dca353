import { openMemory } from '../../memory/open-memory.js';
import { changeLines } from '../../text-diff.js';
import type { Mend } from '../finding.js';
import type { DoctorWorld } from '../world.js';

/** What is done to an index. */
export interface IndexMendOptions {
  readonly title: string;
  readonly safe: boolean;
  readonly agentId: string;
  /** Absolute path of the index. */
  readonly indexFile: string;
  /** What is wrong with it now, in a few words. */
  readonly now: string;
  /** Build it anew although it opens. */
  readonly force: boolean;
}

/**
 * Brings an index up to date, or builds it anew. Nobody is asked for vectors: those that are there
 * are kept, and new ones cost money or time that nobody agreed to.
 */
export function indexMend(
  { context, configFile }: DoctorWorld,
  { title, safe, agentId, indexFile, now, force }: IndexMendOptions,
): Mend {
  return {
    title,
    safe,
    diff: changeLines([`${indexFile}  ${now}`], [`${indexFile}  up to date`]),
    changes: 'state',
    apply: async (signal) => {
      const memory = await openMemory(context, { kind: 'agent', agentId }, { configFile });
      try {
        await memory.backend.sync({ force, embeds: false, signal });
      } finally {
        await memory.backend.close();
      }
    },
  };
}
