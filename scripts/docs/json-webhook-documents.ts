import {
  callOutputSchema,
  routesOutputSchema,
  secretOutputSchema,
} from '../../src/engine/webhooks/output-schemas.js';
import { type JsonDocument, WARNINGS } from './json-document.js';

const routes: JsonDocument = {
  title: 'svc webhook routes',
  introduction: 'The routes of the configuration, in its order. Never a secret.',
  schema: routesOutputSchema,
  meanings: {
    file: 'Absolute path of the configuration; `null` when none was found.',
    enabled: 'Whether webhooks are switched on.',
    listening: 'Address of the listener that runs for this state folder; `null` when none does.',
    routes: 'One entry a route.',
    'routes[].id': 'Its key in `plugins.entries.webhooks.config.routes`.',
    'routes[].path': 'Where requests are sent to.',
    'routes[].state':
      '`served`: a listener serves it. `off`: it, or webhooks as a whole, is switched off. `skipped`: its secret cannot be read.',
    'routes[].sessionKey': 'The session that owns its flows.',
    'routes[].controllerId': 'What its flows are made with.',
    'routes[].description': 'The note in the configuration; `null` without one.',
    'routes[].secretSource': 'Where its secret is read from.',
    'routes[].fault': 'Why it is skipped; `null` unless it is.',
    'routes[].fault.message': 'For people.',
    'routes[].fault.hint': 'What to do about it; `null` where nobody knows.',
    'routes[].requests': 'Requests that were answered, by all listeners so far.',
    'routes[].rejected': 'How many of them were refused.',
    'routes[].last': 'The last answer; `null` before the first. Written down every two seconds.',
    'routes[].last.at': 'When.',
    'routes[].last.status': 'Its HTTP status.',
    'routes[].last.code': 'Why it was refused; `null` when it was not.',
    'routes[].last.action': 'The action; `null` where it did not come to one.',
    ...WARNINGS,
  },
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
  introduction: 'What came back. Exits with 1 when the action was not performed.',
  schema: callOutputSchema,
  meanings: {
    url: 'Where the request was sent.',
    status: 'HTTP status of the answer.',
    answer: 'The answer as it came, see [webhooks.md](webhooks.md#answers).',
    curl: 'The same request for a POSIX shell, with `$SVC_WEBHOOK_SECRET` in place of the secret.',
    ...WARNINGS,
  },
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
  introduction: 'A new secret. It is stored nowhere.',
  schema: secretOutputSchema,
  meanings: { secret: '256 random bits in letters, digits, `_` and `-`.', ...WARNINGS },
  example: { secret: 'a-new-secret-of-43-signs-that-nobody-knows-', warnings: [] },
};

/** The documents of the webhook commands. */
export const WEBHOOK_DOCUMENTS: readonly JsonDocument[] = [routes, call, secret];
