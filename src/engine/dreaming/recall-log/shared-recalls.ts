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
export class SharedRecalls {
  readonly place: SharedPlace;
  private readonly server: Server;

  private constructor(place: SharedPlace, server: Server) {
    this.place = place;
    this.server = server;
  }

  /** @throws SvcError STORAGE_* */
  static async open(place: SharedPlace, context: ServerContext): Promise<SharedRecalls> {
    return new SharedRecalls(place, await openCurrentServer(context, place.config));
  }

  /** Appends a search, with the host that has each claim. */
  async append(recall: RecallLine): Promise<void> {
    const { agent } = this.place;
    // The row of the log stays locked until the commit, so that no number is visible before a smaller one.
    await this.server.run(
      `WITH log AS (
         INSERT INTO svc.recall_logs AS known (agent) VALUES ($1)
         ON CONFLICT (agent) DO UPDATE SET last = known.last + 1 RETURNING last
       ), oldest AS (
         DELETE FROM svc.recalls WHERE agent = $1 AND number <= (SELECT last FROM log) - $3
       )
       INSERT INTO svc.recalls (agent, number, line) SELECT $1, last, $2 FROM log`,
      [agent, this.lineOf(recall), MOST_RECALLS],
    );
  }

  /** A search with the host that has each claim. */
  lineOf({ claims, ...recall }: RecallLine): string {
    const { origin } = this.place;
    return JSON.stringify({ ...recall, claims: claims.map((claim) => ({ origin, ...claim })) });
  }

  /** Appends lines of a host's own log that are not here yet, in one transaction. @returns how many */
  async copy(lines: readonly string[]): Promise<number> {
    return this.server.run(
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
      [this.place.agent, lines],
    );
  }

  /** Those of some lines that are here. */
  async find(lines: readonly string[]): Promise<readonly string[]> {
    const rows = await this.server.query<{ readonly line: string }>(
      'SELECT DISTINCT line FROM svc.recalls WHERE agent = $1 AND line = ANY ($2)',
      [this.place.agent, lines],
    );
    return rows.map(({ line }) => line);
  }

  /** Identifies the log on its server; undefined if nothing was ever recorded. */
  async name(): Promise<string | undefined> {
    const [log] = await this.server.query<{ readonly id: string }>(
      'SELECT id FROM svc.recall_logs WHERE agent = $1',
      [this.place.agent],
    );
    return log === undefined ? undefined : `postgres:${log.id}`;
  }

  /** The next searches after a number, oldest first. */
  async after(number: number) {
    return this.server.query<{ readonly number: number; readonly line: string }>(
      'SELECT number, line FROM svc.recalls WHERE agent = $1 AND number > $2 ORDER BY number LIMIT $3',
      [this.place.agent, number, MOST_AT_ONCE],
    );
  }

  /** Deletes searches that are so old that every sweep has read them. */
  async prune(): Promise<void> {
    await this.server.run(
      `DELETE FROM svc.recalls WHERE agent = $1 AND recorded_at < clock_timestamp() - ${RETENTION}`,
      [this.place.agent],
    );
  }

  /** Deletes searches that found forgotten text. @returns how many */
  async forget(forgotten: Forgotten): Promise<number> {
    let deleted = 0;
    for (let number = 0; ; ) {
      const rows = await this.after(number);
      const last = rows.at(-1);
      if (last === undefined) return deleted;
      number = last.number;
      const matching = rows.filter(({ line }) => {
        const claims = parseRecallLine(line)?.claims ?? [];
        return claims.some(({ text }) => forgotten.isInRecord(text));
      });
      deleted += await this.server.run(
        'DELETE FROM svc.recalls WHERE agent = $1 AND number = ANY ($2)',
        [this.place.agent, matching.map((row) => row.number)],
      );
    }
  }
}

/** The shared recall log as a store of memory text. */
export function sharedRecallStore(place: SharedPlace, context: ServerContext): MemoryStore {
  return {
    follow: async (forgotten): Promise<StoreOutcome> => {
      const recalls = await SharedRecalls.open(place, context);
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
  const logs = await Promise.all(places.map((place) => SharedRecalls.open(place, context)));
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
