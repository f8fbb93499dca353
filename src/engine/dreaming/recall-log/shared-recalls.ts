import type { MemoryStore, StoreOutcome } from '../../memory/forget/index.js';
import type { Forgotten } from '../../memory/forgotten/index.js';
import type { SharedPlace } from '../../memory/home/index.js';
import {
  openCurrentServer,
  type Server,
  type ServerContext,
  withLease,
} from '../../postgres/index.js';
import type { SharedMemories } from '../sweep/dream-sources.js';
import { parseRecallLine, type RecallLine } from './recall-log.js';

/** The recall log stops growing at this many searches if no sweep reads it. */
const MOST_RECALLS = 50_000;
/** After this, sweeps of all hosts have read a search. */
const RETENTION = "interval '90 days'";
const MOST_AT_ONCE = 1000;

/**
 * The recall log of a shared memory, on its server: the searches of all hosts. Each host that sweeps reads all of
 * them, and remembers how far it is.
 */
export type SharedRecalls = Awaited<ReturnType<typeof openSharedRecalls>>;

/** @throws SvcError STORAGE_* */
export async function openSharedRecalls(place: SharedPlace, context: ServerContext) {
  const { agent, origin } = place;
  const server = await openCurrentServer(context, place.config);
  /** A search with the host that has each claim. */
  const lineOf = ({ claims, ...recall }: RecallLine): string =>
    JSON.stringify({ ...recall, claims: claims.map((claim) => ({ origin, ...claim })) });
  /** The next searches after a number, oldest first. */
  const after = (number: number) =>
    server.query<{ readonly number: number; readonly line: string }>(
      'SELECT number, line FROM svc.recalls WHERE agent = $1 AND number > $2 ORDER BY number LIMIT $3',
      [agent, number, MOST_AT_ONCE],
    );
  return {
    place,
    lineOf,
    after,
    /** Appends a search, with the host that has each claim. */
    append: async (recall: RecallLine): Promise<void> => {
      // The row of the log stays locked until the commit, so that no number is visible before a smaller one.
      await server.run(
        `WITH log AS (
           INSERT INTO svc.recall_logs AS known (agent) VALUES ($1)
           ON CONFLICT (agent) DO UPDATE SET last = known.last + 1 RETURNING last
         ), oldest AS (
           DELETE FROM svc.recalls WHERE agent = $1 AND number <= (SELECT last FROM log) - $3
         )
         INSERT INTO svc.recalls (agent, number, line) SELECT $1, last, $2 FROM log`,
        [agent, lineOf(recall), MOST_RECALLS],
      );
    },
    /** Appends lines of a host's own log that are not here yet, in one transaction. @returns how many */
    copy: (lines: readonly string[]): Promise<number> =>
      server.run(
        `WITH new AS (
           SELECT line, row_number() OVER (ORDER BY at) AS number
           FROM unnest($2::text[]) WITH ORDINALITY AS given (line, at)
           WHERE NOT EXISTS (
             SELECT FROM svc.recalls WHERE agent = $1 AND recalls.line = given.line)
         ), log AS (
           INSERT INTO svc.recall_logs AS known (agent, last)
           SELECT $1, count(*) FROM new HAVING count(*) > 0
           ON CONFLICT (agent) DO UPDATE SET last = known.last + excluded.last RETURNING last
         )
         INSERT INTO svc.recalls (agent, number, line)
         SELECT $1, last - (SELECT count(*) FROM new) + number, line FROM log CROSS JOIN new`,
        [agent, lines],
      ),
    /** Those of some lines that are here. */
    find: async (lines: readonly string[]): Promise<readonly string[]> => {
      const rows = await server.query<{ readonly line: string }>(
        'SELECT DISTINCT line FROM svc.recalls WHERE agent = $1 AND line = ANY ($2)',
        [agent, lines],
      );
      return rows.map(({ line }) => line);
    },
    /** Identifies the log on its server; undefined if nothing was ever recorded. */
    name: async (): Promise<string | undefined> => {
      const [log] = await server.query<{ readonly id: string }>(
        'SELECT id FROM svc.recall_logs WHERE agent = $1',
        [agent],
      );
      return log === undefined ? undefined : `postgres:${log.id}`;
    },
    /** Deletes searches that are so old that every sweep has read them. */
    prune: async (): Promise<void> => {
      await server.run(
        `DELETE FROM svc.recalls WHERE agent = $1 AND recorded_at < clock_timestamp() - ${RETENTION}`,
        [agent],
      );
    },
    /** Deletes searches that found forgotten text. @returns how many */
    forget: async (forgotten: Forgotten): Promise<number> => {
      let deleted = 0;
      for (let number = 0; ; ) {
        const rows = await after(number);
        const last = rows.at(-1);
        if (last === undefined) return deleted;
        number = last.number;
        const matching = rows.filter(({ line }) => {
          const claims = parseRecallLine(line)?.claims ?? [];
          return claims.some(({ text }) => forgotten.removeFrom(text) !== text);
        });
        deleted += await server.run(
          'DELETE FROM svc.recalls WHERE agent = $1 AND number = ANY ($2)',
          [agent, matching.map((row) => row.number)],
        );
      }
    },
  };
}

/** The logs of memories that agents share. */
export function openAllRecalls({ places, context }: SharedMemories): Promise<SharedRecalls[]> {
  return Promise.all(places.map((place) => openSharedRecalls(place, context)));
}

/** The shared recall log as a store of memory text. */
export function sharedRecallStore(place: SharedPlace, context: ServerContext): MemoryStore {
  return {
    follow: async (forgotten): Promise<StoreOutcome> => {
      const recalls = await openSharedRecalls(place, context);
      return { store: 'recalls', changed: await recalls.forget(forgotten), clean: true };
    },
  };
}

interface WaitOptions {
  readonly signal: AbortSignal;
  readonly onWait: () => void;
}

/**
 * Runs a sweep of memories that other hosts share: one at a time for each agent, on whichever host.
 *
 * @param sweep gets the recall logs, and a signal that is also aborted if the right to sweep is lost
 * @throws SvcError STORAGE_*
 */
export async function withSharedSweep<T>(
  { places, context }: SharedMemories,
  { signal, onWait }: WaitOptions,
  sweep: (signal: AbortSignal, logs: readonly SharedRecalls[]) => Promise<T>,
): Promise<T> {
  const [first] = places;
  if (first === undefined) return sweep(signal, []);
  const server = await openCurrentServer(context, first.config);
  const logs = await openAllRecalls({ places, context });
  // In one order on all hosts, so that none waits for another that waits for it.
  const names = places.map(({ agent }) => `sweep:${agent}`).toSorted();
  return withLeases(server, names, { signal, onWait }, (own) => sweep(own, logs));
}

async function withLeases<T>(
  server: Server,
  [name, ...others]: readonly string[],
  { signal, onWait }: WaitOptions,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (name === undefined) return run(signal);
  return withLease(server, name, { signal, onWait }, (own) =>
    withLeases(server, others, { signal: own, onWait }, run),
  );
}
