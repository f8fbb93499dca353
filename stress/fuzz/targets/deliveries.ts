import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import fc from 'fast-check';
import * as z from 'zod/mini';
import { type ResolvedRoute, resolveConfig } from '../../../src/engine/config/index.js';
import type { FlowAction, StartFlow } from '../../../src/engine/flow-model/action-schemas.js';
import { Pipeline } from '../../../src/engine/webhooks/pipeline.js';
import { receiverOf } from '../../../src/engine/webhooks/routes.js';
import type { Verifier } from '../../../src/engine/webhooks/verify/schemes.js';
import { createVerifier } from '../../../src/engine/webhooks/verify/verifier.js';
import { codePoint } from '../../../test/support/code-point.js';
import { type OpenTarget, openTarget } from '../target.js';

const NOW_MS = 1_700_000_000_000;
const SECRET = btoa('a-key-of-fuzzing-0123456789');
/** In every body, where rules can find it; must decide nothing. */
const CANARY = 'chosen-from-outside';
/** Rules here have at most ten pointers. */
const MOST_ACTION_CHARS = 10 * 66_000;

const SCHEMES = [
  { scheme: 'standard-webhooks' },
  { scheme: 'github' },
  { scheme: 'gitlab' },
  { scheme: 'stripe' },
  { scheme: 'slack' },
  { scheme: 'basic' },
  { scheme: 'bearer' },
  { scheme: 'hmac', header: 'X-Sig', prefix: 'v1=' },
  { scheme: 'hmac', header: 'X-Sig', encoding: 'base64', algorithm: 'sha512' },
  { scheme: 'hmac', header: 'X-Sig', timestamp: 'X-Time', payload: '{timestamp}.{body}' },
] as const;

const KEYS = ['a', 'b', 'id', 'type', 'challenge', 'payload', '0', '', '~', '/', 'ü', 'event'];
const POINTERS = ['/a', '/b', '/a/b', '/a/0', '/', '/~0', '/~1', '/id', '/a/b/a', '/ü', '/x/y'];

const pointer = fc.constantFrom(...POINTERS);
const scalar = fc.oneof(
  fc.constantFrom('a', 'push', '', CANARY),
  fc.string(),
  fc.integer(),
  fc.boolean(),
);
const condition = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 3 }),
  fc.record({ exists: fc.boolean() }),
);
const template = fc
  .array(
    fc.oneof(
      pointer.map((at) => `{${at}}`),
      fc.constantFrom('x ', '{', '}', '{}', '{a}', '🙂'),
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) => parts.join(''));
const rule = fc.record({
  when: fc.dictionary(fc.oneof(pointer, fc.constant('event')), condition, { maxKeys: 2 }),
  ignore: fc.constantFrom(false, false, false, true),
  goal: template,
  state: fc.oneof(
    template,
    fc.array(template, { maxLength: 2 }),
    fc.dictionary(fc.string(), template, { maxKeys: 2 }),
  ),
  hasTask: fc.boolean(),
});
const body = fc.oneof(
  fc.dictionary(fc.constantFrom(...KEYS), fc.jsonValue({ maxDepth: 5 }), { maxKeys: 8 }),
  fc.record({
    a: fc.oneof(fc.constant('long '.repeat(20_000)), fc.jsonValue({ maxDepth: 3 })),
    controllerId: fc.constant(CANARY),
    runtime: fc.constant(CANARY),
    action: fc.constant('cancel_flow'),
  }),
  fc.jsonValue({ maxDepth: 70 }),
);

const delivery = fc.record({
  body: fc.oneof(
    body.map((value) => JSON.stringify(value)),
    fc.webQueryParameters(),
    fc.string({ unit: codePoint }),
  ),
  isForm: fc.boolean(),
  event: fc.constantFrom('push', 'ping', 'x', ''),
  id: fc.constantFrom('', 'd1', 'd2', 'ü', 'x'.repeat(300)),
  /** What is wrong with its proof. */
  fault: fc.constantFrom('none', 'none', 'none', 'body', 'header', 'twice', 'missing', 'old'),
  noise: fc.string({ unit: codePoint, maxLength: 20 }),
});

const inputs = fc.record({
  scheme: fc.nat(SCHEMES.length - 1),
  rules: fc.array(rule, { maxLength: 3 }),
  deliveries: fc.array(delivery, { minLength: 20, maxLength: 60 }),
});

const inputSchema = z.object({
  scheme: z.number(),
  rules: z.array(
    z.object({
      when: z.record(z.string(), z.any()),
      ignore: z.boolean(),
      goal: z.string(),
      state: z.any(),
      hasTask: z.boolean(),
    }),
  ),
  deliveries: z.array(
    z.object({
      body: z.string(),
      isForm: z.boolean(),
      event: z.string(),
      id: z.string(),
      fault: z.string(),
      noise: z.string(),
    }),
  ),
});

type Input = z.infer<typeof inputSchema>;
type Delivery = Input['deliveries'][number];

/**
 * Signed and wrongly signed deliveries to routes with all schemes and with rules of any form: a wrong proof is always
 * refused, a right one never, nothing fails inside, and no body decides who acts. Memory stays flat.
 */
export async function openDeliveriesTarget(): Promise<OpenTarget> {
  const heaps: number[] = [];
  let runs = 0;
  return openTarget<Input>({
    inputs,
    schema: inputSchema,
    check: async (input) => {
      await checkInput(input);
      runs += 1;
      if (runs % 200 === 0) heaps.push(process.memoryUsage().heapUsed / 1_048_576);
    },
    close: () => {
      const [first, last] = [heaps.slice(0, 20), heaps.slice(-20)].map((some) => Math.min(...some));
      if (first === undefined || last === undefined || heaps.length < 60) return;
      if (last - first > 32) throw new Error(`the heap grew from ${first} to ${last} MB`);
    },
  });
}

async function checkInput({ scheme, rules, deliveries }: Input): Promise<void> {
  const route = routeWith(SCHEMES[scheme] ?? SCHEMES[0], rules);
  const secret = route.verify?.scheme === 'basic' ? `user:${SECRET}` : SECRET;
  const verifier = createVerifier(route.verify, [secret]);
  const failures: unknown[] = [];
  const pipeline = new Pipeline({
    flows: {
      perform: async (action, caller) => {
        checkAction(action);
        if (caller.controllerId !== 'webhooks/r') throw new Error('another controller');
        return { ok: true, result: {} };
      },
    },
    now: () => 0,
    clock: { now: () => NOW_MS },
    onFailure: (error) => failures.push(error),
  });
  const served = { ...receiverOf('r', route), verifier };
  const limits = { ...LIMITS, ratePerWindow: deliveries.length };
  for (const one of deliveries) {
    const { raw, isProven } = requestOf(one, verifier);
    const request = { requestId: 'r', raw, clientIp: '::1' };
    const { answer } = await pipeline.handle(request, served, limits);
    if (failures.length > 0) throw failures[0];
    const allowed = isProven ? [200, 202, 400, 413, 422] : [401, 413];
    if (!allowed.includes(answer.status)) {
      throw new Error(`${answer.status} for fault ${one.fault}: ${JSON.stringify(answer.body)}`);
    }
  }
}

const LIMITS = resolveConfig({}).plugins.entries.webhooks.config.limits;

function routeWith(verify: object, rules: Input['rules']): ResolvedRoute {
  const map = rules.map(({ when, ignore, goal, state, hasTask }) =>
    ignore
      ? { when, ignore }
      : {
          when,
          action: 'create_flow',
          set: { goal, stateJson: state },
          ...(hasTask ? { task: { runtime: 'acp', task: goal, agentId: 'main' } } : {}),
        },
  );
  const routes = { r: { sessionKey: 's', verify: { ...verify, secrets: [SECRET] }, map } };
  const config = { plugins: { entries: { webhooks: { config: { routes } } } } };
  const route = resolveConfig(JSON.parse(JSON.stringify(config))).plugins.entries.webhooks.config
    .routes['r'];
  if (route === undefined) throw new Error('no route');
  return route;
}

function checkAction(action: FlowAction | StartFlow): void {
  if (JSON.stringify(action).length > MOST_ACTION_CHARS) throw new Error('an unbounded action');
  const flow = action.action === 'start_flow' ? action.flow : action;
  if (flow.action !== 'create_flow') throw new Error(`the action ${flow.action}`);
  if (flow.controllerId !== undefined) throw new Error('a controller from outside');
  if (action.action !== 'start_flow') return;
  const { runtime, agentId, childSessionKey } = action.task;
  if (runtime !== 'acp' || agentId !== 'main' || childSessionKey !== undefined) {
    throw new Error('a runtime from outside');
  }
}

/** A request as Node.js parses it. */
function requestOf({ body, isForm, event, id, fault, noise }: Delivery, verifier: Verifier) {
  const bytes = Buffer.from(body, 'utf8');
  const nowMs = fault === 'old' ? NOW_MS - 400_000 : NOW_MS;
  const proof = Object.entries(verifier.sign(bytes, { id: 'm1', nowMs }));
  const isTimed = proof.some(([, value]) => value.includes(String(Math.floor(nowMs / 1000))));
  const isToken = verifier.authenticate !== 'Signature';
  const distinct: Record<string, string[]> = {
    'content-type': [isForm ? 'application/x-www-form-urlencoded' : 'application/json'],
    'x-github-event': [event],
    ...(id === '' ? {} : { 'x-github-delivery': [id] }),
  };
  for (const [at, [name, value]] of proof.entries()) {
    const isFirst = at === 0;
    if (isFirst && fault === 'missing') continue;
    const wrong = isFirst && fault === 'header' ? value.replace(/.{4}$/u, noise) : value;
    distinct[name] = isFirst && fault === 'twice' ? [wrong, wrong] : [wrong];
  }
  const raw = new IncomingMessage(new Socket());
  raw.method = 'POST';
  raw.headersDistinct = distinct;
  raw.headers = Object.fromEntries(
    Object.entries(distinct).map(([name, values]) => [
      name,
      // Node.js takes the first of these.
      name === 'authorization' ? values[0] : values.join(', '),
    ]),
  );
  const sent = fault === 'body' ? Buffer.concat([bytes, Buffer.from([0x20])]) : bytes;
  if (sent.length > 0) raw.push(sent);
  raw.push(null);
  const isProven =
    fault === 'none' || (fault === 'body' && isToken) || (fault === 'old' && !isTimed);
  return { raw, isProven };
}
