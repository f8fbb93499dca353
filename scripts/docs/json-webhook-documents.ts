import {
  callOutputSchema,
  routesOutputSchema,
  secretOutputSchema,
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

const secret: JsonDocument = {
  title: 'svc webhook secret generate',
  introduction: 'A new secret. svc does not store it.',
  schema: secretOutputSchema,
  example: { secret: 'a-new-secret-of-43-signs-that-nobody-knows-', warnings: [] },
};

/** The documents of the webhook commands. */
export const WEBHOOK_DOCUMENTS: readonly JsonDocument[] = [routes, call, secret];
