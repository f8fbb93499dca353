import { seededRandom } from '../../src/engine/eval/random.js';
import { createVerifier } from '../../src/engine/webhooks/verify/verifier.js';
import { headOf, PATH, SECRET, SESSION } from './webhooks.js';

/** Random whole numbers below a limit, the same for each seed, so that a failure can be repeated. */
export function randomSource(seed: number): (below: number) => number {
  const random = seededRandom(seed);
  return (below) => Math.floor(random() * below);
}

type Random = (below: number) => number;

function pick<T>(random: Random, values: readonly [T, ...T[]]): T {
  return values[random(values.length)] ?? values[0];
}

const METHODS = [
  'POST',
  'POST',
  'POST',
  'GET',
  'PUT',
  'HEAD',
  'TRACE',
  'BREW',
  'post',
  '',
] as const;
const PATHS = [
  PATH,
  PATH,
  PATH,
  `${PATH}/`,
  '/',
  '*',
  '//',
  `${PATH}?%00`,
  '/%ff',
  '/../..',
] as const;
const TYPES = ['application/json', 'application/x+json', 'text/plain', '', '{}', ';;;'] as const;
const SECRETS = [SECRET, SECRET, SECRET, '', 'x', '\u0001', 'é'.repeat(50), `${SECRET} `] as const;
const ODD_HEADERS = [
  'Expect: 100-continue',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: gzip, chunked',
  'Content-Length: 99999999999999999999',
  'Content-Length: 3',
  'Content-Encoding: gzip',
  'Idempotency-Key: a',
  `Idempotency-Key: ${'k'.repeat(300)}`,
  'Idempotency-Key: \u00e9',
  'X-Request-Id: }{',
  'Connection: upgrade',
  'Upgrade: websocket',
  'X-Forwarded-For: not, an, address',
  'Host:',
  ': nothing',
  'Name only',
] as const;
const TEXTS = [
  '',
  ' ',
  'a',
  '\u0000',
  '\\ud800',
  '\\u0000',
  'é',
  '🙂',
  'x'.repeat(500),
  '"',
] as const;
const NUMBERS = ['0', '-1', '1e999', '-1e999', '1.5', '9007199254740993', '1'.repeat(400)] as const;
const KEYS = ['action', 'goal', 'flowId', 'expectedRevision', '__proto__', 'constructor'] as const;
const ACTIONS = ['create_flow', 'get_flow', 'list_flows', 'run_task', 'finish_flow', 'x'] as const;

/** JSON, or something that looks like it. */
function fuzzedJson(random: Random, depth = 0): string {
  const inner = (): string => fuzzedJson(random, depth + 1);
  switch (random(depth > 4 ? 5 : 8)) {
    case 0:
      return pick(random, NUMBERS);
    case 1:
      return pick(random, ['null', 'true', 'false', 'NaN', 'undefined']);
    case 2:
      return `"${pick(random, TEXTS)}"`;
    case 3:
      return `"${pick(random, ACTIONS)}"`;
    case 4:
      return `${'['.repeat(random(2000))}${']'.repeat(random(2000))}`;
    case 5:
      return `[${inner()},${inner()}]`;
    case 6:
      return `{"${pick(random, KEYS)}":${inner()},"${pick(random, KEYS)}":${inner()}}`;
    default:
      return `{"action":"${pick(random, ACTIONS)}","${pick(random, KEYS)}":${inner()}}`;
  }
}

/** A valid body. */
const VALID_BODY = '{"action":"create_flow","goal":"sound","stateJson":[1,{"a":null}]}';

function fuzzedBody(random: Random): Buffer {
  if (random(8) === 0) return Buffer.from(VALID_BODY);
  const body = Buffer.from(fuzzedJson(random), 'utf8');
  if (random(4) === 0 && body.length > 0) body[random(body.length)] = random(256);
  return random(6) === 0 ? body.subarray(0, random(body.length + 1)) : body;
}

const SIGNED_PATH = '/plugins/webhooks/signed';
const GITHUB = { scheme: 'github', secrets: [SECRET] } as const;

/** Routes that signed requests reach: their bodies go through rules. */
export const FUZZED_ROUTES = {
  signed: {
    sessionKey: SESSION,
    path: SIGNED_PATH,
    verify: GITHUB,
    map: [
      { when: { event: 'star' }, ignore: true },
      {
        when: { '/action': { exists: true } },
        action: 'create_flow',
        set: { goal: 'Do {/action} for {/goal}', stateJson: { all: '{/stateJson}' } },
        task: { runtime: 'acp', task: '{/goal/action}{/0}' },
      },
    ],
  },
} as const;

const verifier = createVerifier({ ...GITHUB, secrets: [], toleranceSeconds: 300 }, [SECRET]);
const EVENTS = ['push', 'star', 'ping', '', '\u0001'] as const;
const IDS = ['d1', 'd2', '', 'x'.repeat(300)] as const;

/** A request to the route with rules, signed mostly for this body. */
function signedRequest(random: Random, body: Buffer): Buffer {
  const signed = random(5) === 0 ? Buffer.from(VALID_BODY) : body;
  const proof = Object.entries(verifier.sign(signed, { id: '', nowMs: 0 }));
  const lines = [
    `POST ${SIGNED_PATH} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Connection: close',
    `Content-Type: ${pick(random, ['application/json', 'application/x-www-form-urlencoded'])}`,
    ...proof.map(([name, value]) => `${name}: ${value}`),
    `X-GitHub-Event: ${pick(random, EVENTS)}`,
    `X-GitHub-Delivery: ${pick(random, IDS)}`,
    ...(random(8) === 0 ? [pick(random, ODD_HEADERS)] : []),
    `Content-Length: ${body.length}`,
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body]);
}

/** The bytes of a request that is wrong in some ways, or in none; the client hangs up after it. */
export function fuzzedRequest(random: Random): Buffer {
  const body = fuzzedBody(random);
  if (random(4) === 0) return signedRequest(random, body);
  if (random(3) === 0) {
    // With a valid head, so that the body is read.
    const head = headOf([`Content-Length: ${body.length}`, 'Connection: close']);
    return Buffer.concat([Buffer.from(head), body]);
  }
  const lines = [
    `${pick(random, METHODS)} ${pick(random, PATHS)} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Connection: close',
    `Content-Type: ${pick(random, TYPES)}`,
    `Authorization: Bearer ${pick(random, SECRETS)}`,
    ...Array.from({ length: random(4) === 0 ? 2 : 0 }, () => pick(random, ODD_HEADERS)),
    ...(random(3) === 0 ? [] : [`Content-Length: ${body.length}`]),
  ];
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, random(2) === 0 ? 'latin1' : 'utf8');
  if (random(10) === 0) head[random(head.length)] = random(256);
  return Buffer.concat([head, body]);
}
