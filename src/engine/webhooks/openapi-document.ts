import * as z from 'zod/mini';
import type { ResolvedConfig, ResolvedRoute, ResolvedVerify } from '../config/index.js';
import { count } from '../errors/output-schema.js';
import { ACTION_SCHEMAS } from '../flow-model/action-schemas.js';
import type { JsonObject, JsonValue } from '../flow-model/fields.js';
import { flowViewSchema, taskViewSchema } from '../flow-model/record-schemas.js';
import { TASK_RUNTIMES, TASK_STATUSES } from '../flow-model/task-record.js';
import { groupBy } from '../support/lists.js';
import { escapedPath } from '../support/request-path.js';
import { REFUSAL_STATUSES, REQUEST_REJECTIONS, type RejectionCode } from './answers.js';
import { signaturesOf } from './verify/schemes.js';
import { GITLAB_HEADER, SECRET_HEADER } from './verify/verifier.js';

/*
 * The schemas of answers (facts §2.3 to 2.5). Tests check answers against them, and the OpenAPI document
 * contains them.
 */

const optionalText = () => z.exactOptional(z.string());

const countsOf = (names: readonly string[]) =>
  z.strictObject(Object.fromEntries(names.map((name) => [name, count])));

const taskSummarySchema = z.strictObject({
  total: count,
  active: count,
  terminal: count,
  failures: count,
  byStatus: countsOf(TASK_STATUSES),
  byRuntime: countsOf(TASK_RUNTIMES),
});

/** A task; `get_task` and `list_tasks` add the result of its worker. */
const taskAnswerSchema = z.extend(taskViewSchema, {
  result: z.exactOptional(z.custom<JsonValue>()),
});

/** All fields of `result`; which ones are present depends on the action and its outcome. */
const resultSchema = z.strictObject({
  flow: z.exactOptional(z.nullable(flowViewSchema)),
  flows: z.exactOptional(z.array(flowViewSchema)),
  truncated: z.exactOptional(z.boolean()),
  nextCursor: optionalText(),
  task: z.exactOptional(z.nullable(taskAnswerSchema)),
  tasks: z.exactOptional(z.array(taskAnswerSchema)),
  summary: z.exactOptional(z.nullable(taskSummarySchema)),
  created: z.exactOptional(z.boolean()),
  applied: z.exactOptional(z.boolean()),
  found: z.exactOptional(z.boolean()),
  cancelled: z.exactOptional(z.boolean()),
  code: optionalText(),
  reason: optionalText(),
  current: z.exactOptional(flowViewSchema),
});

/** The body of an action that was performed. */
export const successSchema = z.strictObject({
  ok: z.literal(true),
  routeId: z.string(),
  code: z.exactOptional(z.literal('cancel_pending')),
  result: resultSchema,
});

/** The body of a rejected request. */
export const rejectionSchema = z.strictObject({
  ok: z.literal(false),
  routeId: z.string(),
  code: z.string(),
  error: z.string(),
  result: resultSchema,
});

/** The body of an answer to a request that asked for no action. */
const receivedSchema = z.strictObject({
  ok: z.literal(true),
  routeId: z.string(),
  code: z.enum(['ignored', 'ping']),
  result: z.strictObject({}),
});

/** A route as the document describes it. */
export interface DescribedRoute
  extends Pick<ResolvedRoute, 'allow' | 'deliveryId' | 'description' | 'map' | 'path' | 'verify'> {
  readonly id: string;
  /** 202 if missing. */
  readonly acceptedStatus?: ResolvedRoute['acceptedStatus'];
}

/** Grows with breaking changes. */
const API_VERSION = '1';

/** Described if no route is configured. */
const ANY_ROUTE = '/plugins/webhooks/{routeId}';

/** `create_flow` is `CreateFlow`. */
function componentName(action: string): string {
  return action.replaceAll(/(?:^|_)([a-z])/gu, (_, letter: string) => letter.toUpperCase());
}

const COMPONENTS = {
  ...Object.fromEntries(
    Object.entries(ACTION_SCHEMAS).map(([name, schema]) => [componentName(name), schema]),
  ),
  Flow: flowViewSchema,
  Task: taskAnswerSchema,
  TaskSummary: taskSummarySchema,
  Success: successSchema,
  Rejection: rejectionSchema,
} as const;

/** The OpenAPI 3.1 document of all routes, derived from the schemas that validate requests. */
export function openApiDocument({
  serverUrl,
  routes,
}: {
  readonly serverUrl: string | undefined;
  readonly routes: readonly DescribedRoute[];
}): JsonObject {
  const names = operationNames();
  const post = (route: DescribedRoute): JsonObject => operation(route, names(route));
  const paths =
    routes.length === 0
      ? { [ANY_ROUTE]: { parameters: [ROUTE_ID], post: post({ id: 'anyRoute', path: '' }) } }
      : // Braces would be a parameter of the path.
        Object.fromEntries(routes.map((route) => [escapedPath(route.path), { post: post(route) }]));
  const isReceiver = routes.some(({ map, verify }) => map !== undefined || verify !== undefined);
  return {
    openapi: '3.1.0',
    info: {
      title: 'svc webhooks',
      description: 'Routes that let a trusted system create and drive task flows.',
      version: API_VERSION,
    },
    ...(serverUrl === undefined ? {} : { servers: [{ url: serverUrl }] }),
    security: [{ bearer: [] }, { header: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'The secret of the route' },
        header: { type: 'apiKey', in: 'header', name: SECRET_HEADER },
        ...Object.assign({}, ...routes.map(({ verify }) => securityScheme(verify))),
      },
      schemas: {
        Action: actionUnion(),
        ...componentSchemas({ ...COMPONENTS, ...(isReceiver ? { Received: receivedSchema } : {}) }),
      },
    },
  };
}

const ROUTE_ID = { name: 'routeId', in: 'path', required: true, schema: { type: 'string' } };

/** How requests of a sender are verified; nothing for the secret that every route has otherwise. */
function securityScheme(verify: ResolvedVerify | undefined): JsonObject {
  if (verify === undefined || verify.scheme === 'bearer') return {};
  const name = securityName(verify);
  if (verify.scheme === 'basic') return { [name]: { type: 'http', scheme: 'basic' } };
  const [signature] = signaturesOf(verify);
  const header = signature?.header ?? GITLAB_HEADER;
  const description = signature === undefined ? 'The token' : 'A signature of the body';
  return { [name]: { type: 'apiKey', in: 'header', name: header, description } };
}

/** Headers of the scheme `hmac` differ. */
function securityName(verify: ResolvedVerify): string {
  if (verify.scheme === 'bearer') return 'bearer';
  return verify.scheme === 'hmac' ? `hmac-${verify.header.toLowerCase()}` : verify.scheme;
}

/** Names for programs; those of different ids, such as `a-b` and `a.b`, differ. */
function operationNames(): (route: DescribedRoute) => string {
  const taken = new Set<string>();
  return ({ id }) => {
    const name = `act_${id.replaceAll(/\W+/gu, '_')}`;
    let own = name;
    for (let nth = 2; taken.has(own); nth++) own = `${name}_${nth}`;
    taken.add(own);
    return own;
  };
}

function operation(route: DescribedRoute, operationId: string): JsonObject {
  const { description, map, verify } = route;
  const isMapped = map !== undefined;
  return {
    operationId,
    summary: isMapped
      ? 'Receive an event of another system'
      : 'Perform one action on the flows of the session of this route',
    ...(description === undefined ? {} : { description }),
    ...(verify === undefined ? {} : { security: [{ [securityName(verify)]: [] }] }),
    ...(isMapped ? {} : { parameters: [IDEMPOTENCY_KEY] }),
    requestBody: { required: true, content: isMapped ? EVENT : jsonOf(schemaOf('Action')) },
    responses: responses(route),
  };
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'With create_flow and run_task: the same key and body are answered as the first time, and done once',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
};

/** Whatever the sender sends. */
const EVENT = {
  'application/json': { schema: {} },
  'application/x-www-form-urlencoded': { schema: {} },
};

/** What only routes with certain settings answer. */
const ONLY_WITH: Readonly<Partial<Record<RejectionCode, (route: DescribedRoute) => boolean>>> = {
  forbidden: ({ allow }) => allow !== undefined,
  mapping_failed: ({ map }) => map !== undefined,
  unmatched: ({ map }) => map !== undefined,
  delivery_mismatch: ({ verify, deliveryId }) => verify !== undefined || deliveryId !== undefined,
};

const PERFORMED = 'Performed, and on disk';

function responses(route: DescribedRoute): JsonObject {
  const kinds = entriesOf(REQUEST_REJECTIONS).map(([code, { status }]) => ({ code, status }));
  const refusals = entriesOf(REFUSAL_STATUSES).map(([code, status]) => ({ code, status }));
  const possible = [...kinds, ...refusals].filter(({ code }) => ONLY_WITH[code]?.(route) ?? true);
  const rejections = [...groupBy(possible, ({ status }) => status)].toSorted(([a], [b]) => a - b);
  const [received, accepted] =
    route.map === undefined
      ? [schemaOf('Success'), 'cancel_pending: the flow is cancelled when its last task has ended']
      : [
          { anyOf: ['Success', 'Received'].map(schemaOf) },
          'ignored: no rule maps the event to an action',
        ];
  const content = jsonOf(received);
  const successes =
    route.acceptedStatus === 200
      ? { 200: `${PERFORMED}; or ${accepted}` }
      : { 200: PERFORMED, 202: accepted };
  return {
    ...Object.fromEntries(
      Object.entries(successes).map(([status, description]) => [status, { description, content }]),
    ),
    ...Object.fromEntries(
      rejections.map(([status, refused]) => [
        String(status),
        {
          description: refused.map(({ code }) => code).join(', '),
          content: jsonOf(schemaOf('Rejection')),
        },
      ]),
    ),
  };
}

function entriesOf<Key extends string, Value>(record: Readonly<Record<Key, Value>>) {
  return Object.entries(record) as [Key, Value][];
}

function jsonOf(schema: JsonObject): JsonObject {
  return { 'application/json': { schema } };
}

function schemaOf(name: string): JsonObject {
  return { $ref: refTo(name) };
}

function refTo(name: string): string {
  return `#/components/schemas/${name}`;
}

function actionUnion(): JsonObject {
  const mapping = Object.fromEntries(
    Object.keys(ACTION_SCHEMAS).map((name) => [name, refTo(componentName(name))]),
  );
  return {
    oneOf: Object.values(mapping).map(($ref) => ({ $ref })),
    discriminator: { propertyName: 'action', mapping },
  };
}

function componentSchemas(components: Readonly<Record<string, z.core.$ZodType>>): JsonObject {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(components)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    io: 'input',
    // Fields with any JSON get the schema that allows everything.
    unrepresentable: 'any',
    uri: refTo,
  });
  // Inside a document, a schema has no `$schema` and `$id`; and zod attaches more than data.
  const parts = JSON.stringify(schemas, (key, value: unknown) =>
    key === '$schema' || key === '$id' || key.startsWith('~') ? undefined : value,
  );
  const parsed: JsonObject = JSON.parse(parts);
  return parsed;
}

/** The enabled routes of a configuration. */
export function describedRoutes({ plugins }: Pick<ResolvedConfig, 'plugins'>): DescribedRoute[] {
  const { routes } = plugins.entries.webhooks.config;
  return Object.entries(routes)
    .filter(([, { enabled }]) => enabled)
    .map(([id, route]) => ({ ...route, id }));
}
