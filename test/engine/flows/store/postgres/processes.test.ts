import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openFlowsAt } from '../../../../support/flow-stores.js';
import { newFlow, newTask } from '../../../../support/flows.js';
import { migratedServer, startCluster, type TestCluster } from '../../../../support/postgres.js';
import { type Child, startChild } from '../../children.js';

const test = suite('flows of several hosts');

const cluster = await startCluster();
if (cluster === undefined) process.stdout.write('skipped: PostgreSQL is not installed\n');
const when = cluster === undefined ? test.skip : test;
const TASKS = 2000;
const WORKERS = 8;
/** How long the storm lasts at least: 8 s in every run of the tests, `SVC_FLOW_STORM_SECONDS=600` for a long one. */
const STORM_MS = Number(process.env['SVC_FLOW_STORM_SECONDS'] ?? 8) * 1000;

/** On a slow machine it goes on until so much was done. */
const LEAST_LINES = 500;

function real(): TestCluster {
  if (cluster === undefined) throw new Error('there is no server');
  return cluster;
}

/** A database with the tables of flows. */
async function newStore(): Promise<{ readonly url: string; readonly name: string }> {
  const server = await migratedServer(real());
  const { host, port, database, user } = server.address;
  await server.close();
  return { url: `postgres://${user}@${host}:${port}/${database}`, name: database };
}

when(`${WORKERS} processes claim ${TASKS} tasks, none twice`, async () => {
  const { url } = await newStore();
  const flows = await openFlowsAt(url);
  const flowIds = await Promise.all(Array.from({ length: 5 }, () => newFlow(flows)));
  const ids = await Promise.all(
    Array.from({ length: TASKS }, (_, at) => newTask(flows, flowIds[at % 5] ?? '')),
  );
  const children = await Promise.all(
    Array.from({ length: WORKERS }, () => startChild('claim', url)),
  );
  const claimed = (await Promise.all(children.map(({ output }) => output))).flat();
  assert.equal(claimed.toSorted(), ids.toSorted());
  assert.is((await flows.operator.listTasks({ statuses: ['running'], limit: 1 })).total, TASKS);
  await flows.close();
});

/** What the store acknowledged to a process: the revision of a flow, or the state of a task. */
type Acknowledged = ReadonlyMap<string, string>;

function acknowledged(lines: readonly string[]): Acknowledged {
  const last = new Map<string, string>();
  for (const line of lines) {
    const [kind = '', id = '', state = ''] = line.split(' ');
    if (last.get(`${kind} ${id}`) !== 'succeeded') last.set(`${kind} ${id}`, state);
  }
  return last;
}

/** Counts what is not as it was acknowledged, or was done twice. */
async function broken(
  name: string,
  states: Acknowledged,
): Promise<Readonly<Record<string, number>>> {
  const rows = [...states].map(([key, state]) => {
    const [kind, id] = key.split(' ');
    return { kind, id, state };
  });
  const json = JSON.stringify(rows).replaceAll("'", "''");
  const [counts] = await real().sql(
    `WITH acknowledged AS (SELECT * FROM json_to_recordset('${json}') AS r(kind text, id text, state text))
     SELECT
       (SELECT count(*)::int FROM acknowledged LEFT JOIN svc.flows f USING (id)
        WHERE kind = 'flow' AND coalesce(f.revision, -1)::text < state) AS lost_flows,
       (SELECT count(*)::int FROM acknowledged LEFT JOIN svc.tasks t USING (id)
        WHERE kind = 'task' AND (t.status IS NULL OR state = 'succeeded' AND t.status <> state))
        AS lost_tasks,
       (SELECT count(*)::int FROM (SELECT goal FROM svc.flows GROUP BY goal HAVING count(*) > 1) g)
        AS flows_made_twice,
       (SELECT count(*)::int FROM (SELECT task FROM svc.tasks GROUP BY task HAVING count(*) > 1) g)
        AS tasks_made_twice,
       (SELECT count(*)::int FROM svc.flows f WHERE revision <> (SELECT count(*) FROM svc.answers a
          WHERE a.action = 'resume_flow' AND a.key LIKE f.goal || ' %')) AS changes_without_answer,
       (SELECT count(*)::int FROM svc.tasks t WHERE (t.status = 'succeeded')::int <>
          (SELECT count(*) FROM svc.notifications n
           WHERE n.task_id = t.id AND n.kind = 'task.ended')) AS ends_not_told_once,
       (SELECT count(*)::int FROM svc.answers WHERE answer = '') AS keys_without_answer`,
    name,
  );
  return { ...(counts as Record<string, number>) };
}

when('killed listeners and workers, cut connections and restarts lose nothing', async () => {
  const { url, name } = await newStore();
  const started: Child[] = [];
  const start = async (what: 'listen' | 'work'): Promise<Child> => {
    const child = await startChild(what, url);
    started.push(child);
    return child;
  };
  const roles = ['listen', 'listen', 'listen', 'listen', 'work', 'work', 'work', 'work'] as const;
  const alive = await Promise.all(roles.map(start));
  await Promise.all(alive.map(({ ready }) => ready));
  const untilMs = Date.now() + STORM_MS;
  let round = 0;
  let restarts = 0;
  const lineCount = (): number => started.reduce((sum, child) => sum + child.lineCount(), 0);
  while (Date.now() < untilMs || restarts === 0 || lineCount() <= LEAST_LINES) {
    round += 1;
    const at = Math.floor(Math.random() * roles.length);
    const role = roles[at];
    if (role !== undefined) {
      alive[at]?.process.kill('SIGKILL');
      alive[at] = await start(role);
    }
    await new Promise((resolve) => setTimeout(resolve, 100 + Math.random() * 300));
    if (round % 3 === 0) {
      await real().sql(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = '${name}' AND random() < 0.5`,
      );
    }
    const nowMs = Date.now();
    if (nowMs > untilMs - STORM_MS / (restarts + 2) && (nowMs < untilMs || restarts === 0)) {
      await real().restart(restarts % 2 === 0 ? 'fast' : 'immediate');
      restarts += 1;
    }
  }
  for (const { process: child } of alive) child.kill('SIGKILL');
  const lines = (await Promise.all(started.map(({ output }) => output))).flat();
  assert.ok(restarts > 0 && lines.length > LEAST_LINES, `${lines.length} lines`);
  const counts = await broken(name, acknowledged(lines));
  assert.equal(counts, Object.fromEntries(Object.keys(counts).map((key) => [key, 0])));
  process.stdout.write(`${lines.length} acknowledged, ${started.length} processes\n`);
});

test.after(() => cluster?.stop());

test.run();
