import {
  callOutputSchema,
  deliveriesOutputSchema,
  deliveryOutputSchema,
  mapOutputSchema,
  replayOutputSchema,
  rotateOutputSchema,
  routesOutputSchema,
  secretOutputSchema,
  triggerOutputSchema,
} from '../../src/engine/webhooks/output-schemas.js';
import type { JsonDocument } from './json-document.js';

const routes: JsonDocument = {
  title: 'svc webhook routes',
  introduction: 'The configured routes, in order. Secrets are never included.',
  schema: routesOutputSchema,
  example: {
    file: '/home/ada/.svc/svc.json',
    enabled: true,
    listening: 'http://127.0.0.1:8787',
    routes: [
      {
        id: 'ci',
        path: '/plugins/webhooks/ci',
        state: 'served',
        sessionKey: 'agent:main:ci',
        controllerId: 'webhooks/ci',
        description: 'Builds',
        scheme: 'secret',
        rules: null,
        secretSource: 'env CI_WEBHOOK_SECRET',
        fault: null,
        requests: 214,
        rejected: 2,
        last: {
          at: '2026-03-02T16:12:40.007Z',
          status: 200,
          code: null,
          action: 'create_flow',
        },
      },
    ],
    warnings: [],
  },
};

const call: JsonDocument = {
  title: 'svc webhook call',
  introduction: 'The response. Exits with 1 if the action was not performed.',
  schema: callOutputSchema,
  example: {
    url: 'http://127.0.0.1:8787/plugins/webhooks/ci',
    status: 200,
    answer: { ok: true, routeId: 'ci', result: { flows: [] } },
    curl: `curl -sS -H "authorization: Bearer $SVC_WEBHOOK_SECRET" -H 'content-type: application/json' --data '{"action":"list_flows"}' 'http://127.0.0.1:8787/plugins/webhooks/ci'`,
    warnings: [],
  },
};

const trigger: JsonDocument = {
  title: 'svc webhook trigger',
  introduction: 'The response. Exits with 1 if the route rejected the example.',
  schema: triggerOutputSchema,
  example: {
    preset: 'github.push',
    route: 'github',
    url: 'http://127.0.0.1:8787/plugins/webhooks/github',
    status: 202,
    answer: { ok: true, routeId: 'github', code: 'ignored', result: {} },
    curl: `curl -sS -H 'x-hub-signature-256: sha256=…' -H 'content-type: application/json' -H 'x-github-event: push' --data '{"ref":"refs/heads/main"}' 'http://127.0.0.1:8787/plugins/webhooks/github'`,
    warnings: [],
  },
};

const map: JsonDocument = {
  title: 'svc webhook map',
  introduction: 'What a route would do. Exits with 1 if the request would be rejected.',
  schema: mapOutputSchema,
  example: {
    route: 'github',
    verified: true,
    reason: null,
    event: 'pull_request',
    outcome: 'action',
    rule: 1,
    action: [{ action: 'create_flow', goal: 'Review Compute Bernoulli numbers by ada' }],
    error: null,
    warnings: [],
  },
};

const rotate: JsonDocument = {
  title: 'svc webhook secret rotate',
  introduction: 'The valid secrets of the route, and what to do next.',
  schema: rotateOutputSchema,
  example: {
    route: 'ci',
    file: '/home/ada/.svc/svc.json',
    secrets: ['env CI_WEBHOOK_SECRET_2', 'env CI_WEBHOOK_SECRET'],
    next: [
      'reload the listener with SIGHUP, or restart it if the secret is in a new variable',
      'change the secret at the sender, and check its next requests: svc webhook routes',
      'make the old secret invalid: svc webhook secret rotate ci --finish',
    ],
    warnings: [],
  },
};

const secret: JsonDocument = {
  title: 'svc webhook secret generate',
  introduction: 'A new secret. svc does not store it.',
  schema: secretOutputSchema,
  example: { secret: 'a-new-secret-of-43-characters-nobody-knows-', warnings: [] },
};

const delivery = {
  id: '3x9k7m2pqr',
  at: '2026-03-02T16:12:40.000Z',
  route: 'github',
  event: 'push',
  deliveryId: '72d3162e-cc78-11e3-81ab-4c9367dc0958',
  client: '140.82.115.1',
  requestId: '0c9b1f5e-62d1-4a3b-9d3e-8f2a6f2f5a0e',
  verified: true,
  status: 200,
  code: null,
  reason: null,
  ms: 3.1,
  action: 'create_flow',
  flowId: '413d463b-ee62-4b21-addf-01a1f9472c9a',
  replayOf: null,
  bodyState: 'whole',
  bodyBytes: 26,
};

const deliveries: JsonDocument = {
  title: 'svc webhook deliveries',
  introduction:
    'The requests that routes received. With `--follow`, each line is one entry of `deliveries`.',
  schema: deliveriesOutputSchema,
  example: { deliveries: [delivery], total: 1, warnings: [] },
};

const show: JsonDocument = {
  title: 'svc webhook show',
  introduction: 'One delivery with its body.',
  schema: deliveryOutputSchema,
  example: {
    delivery,
    headers: { 'content-type': 'application/json', 'x-github-event': 'push' },
    body: '{"ref":"refs/heads/main"}',
    warnings: [],
  },
};

const replay: JsonDocument = {
  title: 'svc webhook replay',
  introduction: 'The result of a replay.',
  schema: replayOutputSchema,
  example: {
    replayOf: delivery.id,
    route: 'github',
    id: 'w1v8d2hnq4',
    status: 200,
    firstAnswer: true,
    answer: { ok: true, routeId: 'github', result: {} },
    warnings: [],
  },
};

/** The documents of the webhook commands. */
export const WEBHOOK_DOCUMENTS: readonly JsonDocument[] = [
  routes,
  call,
  trigger,
  map,
  deliveries,
  show,
  replay,
  secret,
  rotate,
];
