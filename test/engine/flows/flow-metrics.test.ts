import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Histogram, Registry } from 'prom-client';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SvcError } from '../../../src/engine/errors/index.js';
import { createFlowMetrics } from '../../../src/engine/flows/flow-metrics.js';
import type { Flows } from '../../../src/engine/flows/index.js';
import { createMetrics } from '../../../src/engine/webhooks/metrics.js';
import { routeStatusesWhenOff } from '../../../src/engine/webhooks/routes.js';
import { failureOf } from '../../support/failure.js';
import { ADA, newFlow, newTask, testFlows } from '../../support/flows.js';
import { ROOT } from '../../support/run-svc.js';
import { loadedOf, webhooksConfig } from '../../support/webhooks.js';

const test = suite('metrics of flows');

const MINUTE = 60_000;
const ROUTED = loadedOf(webhooksConfig());

async function metricsOf(flows: Flows, stateDir: string, registry?: Registry) {
  const metrics = createMetrics(
    {
      flows: () => flows,
      isStoring: () => true,
      context: { state: { stateDir } },
      requestsInFlight: () => 0,
      routeStatuses: () => routeStatusesWhenOff(ROUTED.resolved),
      deliveries: () => ({ recorded: 3, dropped: { too_many: 2, too_large: 0, failed: 1 } }),
    },
    registry,
  );
  const read = async (): Promise<readonly string[]> => (await metrics.text()).split('\n');
  return { metrics, read };
}

test('waiting, running and ended flows and tasks are counted', async () => {
  const { flows, clock, home } = await testFlows({
    notify: { targets: [{ id: 'ops', command: ['true'] }] },
  });
  const { metrics, read } = await metricsOf(flows, home);
  const flowId = await newFlow(flows);
  for (const runtime of ['acp', 'subagent', 'subagent'] as const) {
    await newTask(flows, flowId, { runtime });
  }
  const claimed = await flows.tasks.claim({ worker: 'w', runtimes: ['subagent'] });
  await flows.tasks.pause(['acp'], null);
  clock.nowMs += MINUTE;
  const before = await read();
  assert.ok(before.includes('svc_flows{status="queued"} 1'));
  assert.ok(before.includes('svc_tasks_queued{runtime="subagent"} 1'));
  assert.ok(before.includes('svc_tasks_oldest_queued_seconds{runtime="acp"} 60'));
  assert.ok(before.includes('svc_tasks_running{runtime="subagent"} 1'));
  assert.ok(before.includes('svc_tasks_paused{runtime="acp"} 1'));
  assert.ok(before.includes('svc_tasks_paused{runtime="subagent"} 0'));
  assert.ok(before.includes('svc_flow_store_writable 1'));
  for (const line of [
    'svc_notifications_settled_total{target="ops",outcome="failed"} 0',
    'svc_flows_ended_total{status="failed"} 0',
  ]) {
    assert.ok(before.includes(line), `an alert on an increase needs ${line}`);
  }
  assert.ok(before.includes('svc_webhook_deliveries_recorded_total 3'));
  assert.ok(before.includes('svc_webhook_deliveries_dropped_total{reason="too_many"} 2'));
  assert.ok(before.some((line) => /^svc_state_free_bytes \d/.test(line)));
  await flows.tasks.resume(['acp']);
  assert.ok((await read()).includes('svc_tasks_paused{runtime="acp"} 0'));
  await flows.tasks.complete({ taskId: claimed?.task.taskId ?? '', token: claimed?.leaseToken });
  const [due] = await flows.outbox.takeDue({ target: 'ops', limit: 1, holdMs: MINUTE });
  assert.ok(due !== undefined);
  assert.ok((await read()).includes('svc_notifications_pending{target="ops"} 1'));
  await flows.outbox.markDelivered(due);
  await metrics
    .countActions(flows.perform)({ action: 'cancel_flow', flowId }, ADA)
    .then(({ ok }) => assert.ok(ok));
  const fail = metrics.countActions(() => Promise.reject(new SvcError('FLOWS_BUSY', 'busy')));
  assert.is((await failureOf(fail({ action: 'list_flows' }, ADA))).code, 'FLOWS_BUSY');
  clock.nowMs += MINUTE;
  metrics.countAnswer({
    routeId: 'ci',
    requestId: 'r',
    method: 'POST',
    status: 200,
    code: null,
    action: 'list_flows',
    clientIp: '127.0.0.1',
    ms: 1500,
    bytes: 2,
    reason: null,
  });
  for (let time = 0; time < 2; time++) {
    const after = await read();
    for (const line of [
      'svc_webhook_deliveries_recorded_total 3',
      'svc_webhook_deliveries_dropped_total{reason="too_many"} 2',
      'svc_webhook_routes{state="off"} 1',
      'svc_webhook_requests_total{route="ci",status="200",code="ok"} 1',
      'svc_webhook_request_duration_seconds_sum{route="ci"} 1.5',
    ]) {
      assert.ok(after.includes(line), line);
    }
    assert.ok(
      after.includes('svc_task_duration_seconds_sum{runtime="subagent",outcome="succeeded"} 60'),
    );
    assert.ok(
      after.includes('svc_notifications_settled_total{target="ops",outcome="delivered"} 1'),
    );
    assert.ok(after.includes('svc_flows_ended_total{status="cancelled"} 1'));
    assert.ok(after.includes('svc_webhook_actions_total{action="cancel_flow",outcome="ok"} 1'));
    assert.ok(after.includes('svc_webhook_actions_total{action="list_flows",outcome="failed"} 1'));
  }
  metrics.close();
  await flows.close();
});

test('a store that hangs or fails does not hang metrics', async () => {
  const never = new Promise<never>(() => undefined);
  const { flows, home } = await testFlows();
  const hanging = { ...flows, statistics: () => never };
  const context = { state: { stateDir: home } };
  const metrics = createFlowMetrics({ flows: () => hanging, isStoring: () => false, context });
  // A second scrape waits for the same answer.
  for (const text of await Promise.all([metrics.text(), metrics.text()])) {
    assert.match(text, /\nsvc_flow_store_up 0\n/);
    assert.match(text, /\nsvc_flow_store_writable 0\n/);
  }
  metrics.close();
  const failing = {
    ...flows,
    statistics: () => Promise.reject(new SvcError('FLOWS_BUSY', 'busy')),
  };
  const lost = { state: { stateDir: '/does/not/exist' } };
  const other = createFlowMetrics({ flows: () => failing, isStoring: () => true, context: lost });
  assert.match(await other.text(), /\nsvc_flow_store_up 0\n/);
  other.close();
  await flows.close();
});

test('a store that is not open yet, or no longer, is not up, and the rest is reported', async () => {
  const { flows, clock, home } = await testFlows();
  let open: Flows | undefined;
  const metrics = createFlowMetrics({
    flows: () => open,
    isStoring: () => true,
    context: { state: { stateDir: home } },
  });
  const closed = await metrics.text();
  assert.match(closed, /\nsvc_flow_store_up 0\n/);
  assert.match(closed, /\nprocess_resident_memory_bytes \d/);
  assert.match(closed, /\nsvc_state_free_bytes \d/);
  assert.not.match(closed, /\nsvc_flow_store_writable \d/);
  open = flows;
  const flowId = await newFlow(flows);
  const opened = await metrics.text();
  for (const line of ['svc_flow_store_up 1', 'svc_flow_store_writable 1']) {
    assert.ok(opened.split('\n').includes(line), line);
  }
  assert.match(opened, /\nsvc_flows\{status="queued"\} 1\n/);
  await flows.perform({ action: 'cancel_flow', flowId }, ADA);
  clock.nowMs += MINUTE;
  assert.match(await metrics.text(), /\nsvc_flows_ended_total\{status="cancelled"\} 1\n/);
  open = undefined;
  const gone = await metrics.text();
  assert.match(gone, /\nsvc_flow_store_up 0\n/);
  assert.not.match(gone, /\nsvc_flow_store_writable \d|\nsvc_flows\{/);
  metrics.close();
  await flows.close();
});

test('the dashboard uses metrics and labels that exist', async () => {
  const { flows, home } = await testFlows();
  const registry = new Registry();
  const { metrics } = await metricsOf(flows, home, registry);
  const known = new Map<string, readonly string[]>();
  for (const metric of registry.getMetricsAsArray()) {
    const { name } = metric;
    const labels: readonly string[] = Reflect.get(metric, 'labelNames');
    known.set(name, labels);
    if (!(metric instanceof Histogram)) continue;
    for (const end of ['bucket', 'count', 'sum']) known.set(`${name}_${end}`, [...labels, 'le']);
  }
  const text = readFileSync(join(ROOT, 'docs/samples/grafana-dashboard.json'), 'utf8');
  const dashboard: {
    readonly panels: readonly {
      readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
    }[];
  } = JSON.parse(text);
  const exprs = dashboard.panels.flatMap(({ targets }) => targets);
  assert.ok(exprs.length > 10);
  for (const { expr, legendFormat } of exprs) {
    const [name = ''] = /\b(?:svc|process)_\w+/.exec(expr) ?? [];
    const labels = known.get(name);
    assert.ok(labels !== undefined, `${name} in ${expr}`);
    const grouped = /by \(([^)]*)\)/.exec(expr)?.[1]?.split(', ') ?? [];
    const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label);
    for (const label of [...grouped, ...shown]) {
      assert.ok([...labels, 'instance'].includes(label), `${label} of ${name}`);
    }
  }
  metrics.close();
  await flows.close();
});

test('the process is measured once, however often a listener starts', async () => {
  const hooks: { monitorEventLoopDelay: () => unknown } = createRequire(import.meta.url)(
    'node:perf_hooks',
  );
  const { monitorEventLoopDelay } = hooks;
  let started = 0;
  hooks.monitorEventLoopDelay = () => {
    started += 1;
    return monitorEventLoopDelay();
  };
  for (let listeners = 0; listeners < 3; listeners++) {
    const metrics = createFlowMetrics({
      flows: () => undefined,
      isStoring: () => true,
      context: { state: { stateDir: '/' } },
    });
    assert.match(await metrics.text(), /^process_resident_memory_bytes \d/m);
    metrics.close();
  }
  hooks.monitorEventLoopDelay = monitorEventLoopDelay;
  assert.ok(started <= 1, `${started} were started`);
});

test.run();
