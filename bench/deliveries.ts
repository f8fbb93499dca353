/**
 * `npm run bench -- deliveries [--seconds N]`: what verifying a signature and mapping the body add to creating a flow
 * over HTTP, compared with `create_flow` on the same listener in the same run; and what recording deliveries costs,
 * compared with a listener that records none.
 */
import { createHmac, randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CONNECTIONS,
  configuration,
  killChildren,
  type LoadOptions,
  load,
  SECRET,
  SESSION,
  startListener,
} from './listener-load.js';
import { median } from './measure.js';
import { report } from './report.js';
import type { Row } from './table.js';

const ROUNDS = 3;
const at = process.argv.indexOf('--seconds');
const seconds = at === -1 ? 5 : Number(process.argv[at + 1]);

/** What GitHub sends about a push; the rule of the route makes of it what the other route is sent. */
const PUSH = JSON.stringify({
  ref: 'refs/heads/main',
  after: '0d1a26e67d8f5eaf1f6ba5c57fc3c7d91ac0fd1c',
  deleted: false,
  run: 42,
  repository: { full_name: 'ada/engine', html_url: 'https://github.com/ada/engine' },
  head_commit: { id: '0d1a26e67d8f5eaf1f6ba5c57fc3c7d91ac0fd1c', message: 'release 1.2.3' },
  sender: { login: 'ada' },
});
const GITHUB = {
  sessionKey: SESSION,
  verify: { scheme: 'github', secrets: [SECRET] },
  map: [
    { when: { event: 'star' }, ignore: true },
    {
      when: { event: 'push', '/deleted': false },
      action: 'create_flow',
      set: {
        goal: 'Build {/head_commit/message} and tell the team',
        notifyPolicy: 'silent',
        stateJson: { run: '{/run}', branch: 'main', ref: '{/ref}' },
      },
    },
  ],
} as const;
const SIGNED: LoadOptions = {
  body: PUSH,
  headers: {
    'content-type': 'application/json',
    'x-hub-signature-256': `sha256=${createHmac('sha256', SECRET).update(PUSH).digest('hex')}`,
    'x-github-event': 'push',
  },
};

const home = mkdtempSync(join(tmpdir(), 'svc-bench-deliveries-'));
try {
  await main();
} finally {
  killChildren();
  rmSync(home, { recursive: true, force: true });
}

async function main(): Promise<void> {
  writeFileSync(join(home, 'svc.json'), JSON.stringify(configuration({ github: GITHUB })));
  const { route } = await startListener(home);
  const github = route.replace(/bench$/u, 'github');
  const bare = await measureAlternating([route, {}], [github, SIGNED]);
  const once = await measureAlternating(
    [route, { setupRequest: withNew('idempotency-key') }],
    [github, { ...SIGNED, setupRequest: withNew('x-github-delivery') }],
  );
  const unrecorded = join(home, 'unrecorded');
  mkdirSync(unrecorded);
  const off = configuration({ github: GITHUB }, { deliveries: { keep: 0 } });
  writeFileSync(join(unrecorded, 'svc.json'), JSON.stringify(off));
  const { route: bench } = await startListener(unrecorded);
  const recorded = await measureAlternating([bench, {}], [route, {}]);
  const mapped = await measureAlternating(
    [bench.replace(/bench$/u, 'github'), SIGNED],
    [github, SIGNED],
  );
  report('deliveries', `${CONNECTIONS} connections, ${seconds} s a round`, [
    { what: 'verified and mapped create_flow, requests/s', ...compared(bare), target: '>= 0.8' },
    { what: '  with an id per delivery', ...compared(once), target: '>= 0.8' },
    { what: 'create_flow with a record, requests/s', ...compared(recorded), target: '>= 0.95' },
    { what: '  verified and mapped', ...compared(mapped), target: '>= 0.95' },
  ]);
}

type Side = readonly [url: string, how: LoadOptions];

/** In turn, so that a slow phase of the machine affects both. @returns requests per second */
async function measureAlternating(plain: Side, mapped: Side): Promise<readonly [number, number]> {
  const speeds: [number[], number[]] = [[], []];
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [side, [url, how]] of [plain, mapped].entries()) {
      const { requests } = await load(url, { duration: seconds, ...how });
      if (round > 0) speeds[side]?.push(requests.average);
    }
  }
  return [median(speeds[0]), median(speeds[1])];
}

function withNew(header: string): LoadOptions['setupRequest'] {
  return (request) => ({ ...request, headers: { ...request.headers, [header]: randomUUID() } });
}

function compared([plain, mapped]: readonly [number, number]): Omit<Row, 'what' | 'target'> {
  return {
    value: mapped.toFixed(0),
    baseline: plain.toFixed(0),
    ratio: (mapped / plain).toFixed(2),
  };
}
