import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { renderRoutes } from '../../../src/ui/webhook/routes.js';
import { PIPED_VIEW } from '../../support/piped-view.js';

test('the last request of a route is wrapped like the other lines', () => {
  const last = { at: '2026-01-01T00:00:00.000Z', status: 200, code: null, action: 'create_flow' };
  const route = {
    id: 'ci',
    path: '/ci',
    state: 'served',
    sessionKey: 's',
    controllerId: 'webhooks/ci',
    scheme: 'secret',
    rules: 0,
    secretSource: 'env A',
  } as const;
  const output = {
    file: null,
    enabled: true,
    listening: null,
    routes: [{ ...route, description: null, fault: null, last, requests: 12, rejected: 3 }],
  };
  const text = renderRoutes(output, { ...PIPED_VIEW, nowMs: Date.parse(last.at), columns: 40 });
  assert.match(
    text,
    '    last request just now: 200\n    create_flow · 12 requests, 3\n    rejected\n',
  );
});

test.run();
