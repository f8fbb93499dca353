import { EMPTY_FLOW, type FlowRecord } from '../../../src/engine/flow-model/flow-record.js';
import { newFlowId } from '../../../src/engine/flow-model/ids.js';
import type { ServeState } from '../../../src/engine/serve/index.js';
import { iso } from '../../../src/engine/support/time.js';
import { WebhookActivity } from '../../../src/engine/webhooks/activity.js';
import type { LiveWebhooks, WebhooksSnapshot } from '../../../src/engine/webhooks/live-webhooks.js';

export const NOW = 1_795_000_000_000;

export const SERVE: ServeState = {
  command: 'svc serve',
  pid: 4711,
  startedMs: NOW - 180_000,
  configFile: null,
  logFile: null,
  services: [
    {
      name: 'webhooks',
      state: 'ready',
      since: iso(NOW),
      url: 'http://127.0.0.1:8787',
      event: 'listening on http://127.0.0.1:8787',
      eventAt: iso(NOW),
      restarts: 0,
      failure: null,
      retryAt: null,
    },
  ],
};

type Delivery = WebhooksSnapshot['deliveries'][number];

/** A delivery; every third one was rejected. */
function delivery(n: number): Delivery {
  const isRefused = n % 3 === 0;
  return {
    seq: n,
    id: `d${String(n).padStart(9, '0')}`,
    atMs: NOW - n * 1000,
    route: 'github',
    deliveryId: `gh-${n}`,
    event: 'push',
    clientIp: '::1',
    requestId: `req-${n}`,
    status: isRefused ? 401 : 200,
    code: isRefused ? 'unauthorized' : null,
    reason: isRefused ? 'X-Hub-Signature-256 is missing \u001B[31m' : null,
    ms: 3,
    action: isRefused ? null : 'create_flow',
    flowId: isRefused ? null : newFlowId(n),
    replayOf: null,
    isVerified: !isRefused,
    bodyState: isRefused ? 'none' : 'whole',
    bodyBytes: 20,
  };
}

/** The state of a listener with so many routes, flows and deliveries, and a route whose secret is missing. */
export function snapshot(routes = 1, flows = 1, deliveries = 0): WebhooksSnapshot {
  const activity = new WebhookActivity();
  const request = { requestId: 'r', clientIp: '::1', ms: 1 };
  for (let n = 0; n < 12; n++) {
    const answered = { ...request, routeId: 'ci0', status: 200, code: null, action: 'create_flow' };
    activity.record(answered, NOW - (12 - n) * 1000);
  }
  const refused = { status: 401, code: 'unauthorized', action: null } as const;
  activity.record({ ...request, ...refused, routeId: 'ci0' }, NOW);
  return {
    routes: [
      ...Array.from({ length: routes }, (_, n) => ({
        id: `ci${n}`,
        path: `/plugins/webhooks/ci${n}`,
        sessionKey: 'agent:main:ci',
        controllerId: 'webhooks/ci',
        description: null,
        scheme: 'secret',
        rules: null,
        state: 'served' as const,
        secretSource: 'env CI',
        fault: null,
        activity: activity.live(`ci${n}`, NOW),
      })),
      {
        id: 'lost',
        path: '/plugins/webhooks/lost',
        sessionKey: 'agent:main:ci',
        controllerId: 'webhooks/lost',
        description: null,
        scheme: 'secret',
        rules: null,
        state: 'skipped' as const,
        secretSource: 'env LOST',
        fault: { message: 'cannot resolve env LOST', hint: 'set LOST' },
        activity: activity.live('lost', NOW),
      },
    ],
    flows: Array.from({ length: flows }, (_, n) => flow(n)),
    deliveries: Array.from({ length: deliveries }, (_, n) => delivery(n)).toReversed(),
  };
}

function flow(n: number): FlowRecord {
  return {
    ...EMPTY_FLOW,
    seq: n,
    flowId: newFlowId(n),
    ownerKey: 'agent:main:ci',
    syncMode: 'managed',
    revision: 1,
    status: 'running',
    notifyPolicy: 'done_only',
    goal: `Build ${n} \u001B[31m 秘密`,
    currentStep: 'compiling',
    createdAt: NOW,
    updatedAt: NOW,
  };
}

/** A listener whose state `current` returns; its replays are added to `calls`. */
export function liveWebhooks(current: () => WebhooksSnapshot, calls: string[] = []): LiveWebhooks {
  return {
    routes: () => current().routes,
    snapshot: current,
    flowsFault: () => undefined,
    deliveries: {
      list: ({ failed }) =>
        current().deliveries.filter(({ status }) => failed !== true || status >= 400),
      find: (id) => {
        const found = current().deliveries.find((one) => one.id === id);
        if (found === undefined) throw new Error('there is none');
        return { ...found, headers: { 'x-github-event': 'push' }, body: '{"ref":"\\u001B[2J"}' };
      },
      replay: async ({ id, again }) => {
        calls.push(`replay ${id}${again ? ' again' : ''}`);
        const original = { ...delivery(1), headers: {}, body: '' };
        const answer = { status: 200, code: null, headers: {}, lingers: false, body: {} };
        return { original, id: 'new', answer, isFirstAnswer: !again, unrecorded: undefined };
      },
    },
    close: () => undefined,
  };
}
