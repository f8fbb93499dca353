import * as z from 'zod/mini';
import type { ResolvedConfig } from '../config/index.js';
import { count } from '../errors/output-schema.js';
import { ACTION_SCHEMAS } from '../flows/action-schemas.js';
import { type JsonObject, type JsonValue, TASK_RUNTIMES, TASK_STATUSES } from '../flows/index.js';
import { flowViewSchema, taskViewSchema } from '../flows/record-schemas.js';
import { groupBy } from '../support/lists.js';
import { FLOW_STATUSES, REQUEST_REJECTIONS } from './answers.js';
import { SECRET_HEADER } from './guards.js';

/*
 * The schemas of answers (facts §2.3 to 2.5). Tests check answers against them, and the OpenAPI document
 * contains them.
 */

const text = () => z.exactOptional(z.string());

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

/** All fields of `result`; which ones are present depends on the action and its outcome. */
const resultSchema = z.strictObject({
  flow: z.exactOptional(z.nullable(flowViewSchema)),
  flows: z.exactOptional(z.array(flowViewSchema)),
  truncated: z.exactOptional(z.boolean()),
  nextCursor: z.exactOptional(text()),
  task: z.exactOptional(taskViewSchema),
  tasks: z.exactOptional(z.array(taskViewSchema)),
  summary: z.exactOptional(z.nullable(taskSummarySchema)),
  created: z.exactOptional(z.boolean()),
  applied: z.exactOptional(z.boolean()),
  found: z.exactOptional(z.boolean()),
  cancelled: z.exactOptional(z.boolean()),
  code: text(),
  reason: text(),
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

/** A route as the document describes it. */
export interface DescribedRoute {
  readonly id: string;
  readonly path: string;
  readonly description?: string | undefined;
}

/** Grows with breaking changes. */
const API_VERSION = '1';

interface OpenApiOptions {
  /** The address of the routes; undefined if unknown. */
  readonly serverUrl: string | undefined;
  readonly routes: readonly DescribedRoute[];
}

/** Described if no route is configured. */
const ANY_ROUTE = '/plugins/webhooks/{routeId}';

const COMPONENTS = {
  Flow: flowViewSchema,
  Task: taskViewSchema,
  TaskSummary: taskSummarySchema,
  Success: successSchema,
  Rejection: rejectionSchema,
} as const;

/** The OpenAPI 3.1 document of all routes, derived from the schemas that validate requests. */
export function openApiDocument({ serverUrl, routes }: OpenApiOptions): JsonObject {
  const paths =
    routes.length === 0
      ? { [ANY_ROUTE]: { parameters: [ROUTE_ID], post: operation('anyRoute', undefined) } }
      : Object.fromEntries(
          routes.map(({ id, path, description }) => [path, { post: operation(id, description) }]),
        );
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
      },
      schemas: { Action: actionUnion(), ...actionSchemas(), ...answerSchemas() },
    },
  };
}

const ROUTE_ID = { name: 'routeId', in: 'path', required: true, schema: { type: 'string' } };

function operation(id: string, description: string | undefined): JsonObject {
  return {
    operationId: `act_${id.replaceAll(/\W+/gu, '_')}`,
    summary: 'Perform one action on the flows of the session of this route',
    ...(description === undefined ? {} : { description }),
    parameters: [
      {
        name: 'Idempotency-Key',
        in: 'header',
        description:
          'With create_flow and run_task: the same key and body are answered as the first time, and done once',
        schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
      },
    ],
    requestBody: { required: true, content: jsonOf('Action') },
    responses: responses(),
  };
}

function responses(): JsonObject {
  const kinds = Object.entries(REQUEST_REJECTIONS).map(([code, { status }]) => ({ code, status }));
  const refusals = Object.entries(FLOW_STATUSES).map(([code, status]) => ({ code, status }));
  const codes = groupBy([...kinds, ...refusals], ({ status }) => status);
  const rejections = [...codes].toSorted(([a], [b]) => a - b);
  return {
    200: { description: 'Performed, and on disk', content: jsonOf('Success') },
    202: {
      description: 'cancel_pending: the flow is cancelled when its last task has ended',
      content: jsonOf('Success'),
    },
    ...Object.fromEntries(
      rejections.map(([status, refused]) => [
        String(status),
        { description: refused.map(({ code }) => code).join(', '), content: jsonOf('Rejection') },
      ]),
    ),
  };
}

function jsonOf(name: string): JsonObject {
  return { 'application/json': { schema: { $ref: refTo(name) } } };
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

function actionSchemas(): JsonObject {
  return Object.fromEntries(
    Object.entries(ACTION_SCHEMAS).map(([name, schema]) => [
      componentName(name),
      jsonSchemaOf(schema),
    ]),
  );
}

/** `create_flow` is `CreateFlow`. */
function componentName(action: string): string {
  return action.replaceAll(/(?:^|_)([a-z])/gu, (_, letter: string) => letter.toUpperCase());
}

function answerSchemas(): JsonObject {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(COMPONENTS)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { ...OPTIONS, uri: refTo });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, withoutHeading(schema)]),
  );
}

const OPTIONS = {
  io: 'input',
  // Fields with any JSON get the schema that allows everything.
  unrepresentable: 'any',
} as const satisfies Parameters<typeof z.toJSONSchema>[1];

function jsonSchemaOf(schema: z.core.$ZodType): JsonObject {
  return withoutHeading(z.toJSONSchema(schema, OPTIONS));
}

/** Inside a document, a schema has no `$schema` and `$id`. */
function withoutHeading(schema: object): JsonObject {
  const parts: readonly (readonly [string, unknown])[] = Object.entries(schema);
  return Object.fromEntries(
    parts.flatMap(([key, value]) =>
      key === '$schema' || key === '$id' || key.startsWith('~') ? [] : [[key, plain(value)]],
    ),
  );
}

/** Removes what zod attaches besides the data. */
function plain(value: unknown): JsonValue {
  const parsed: JsonValue = JSON.parse(JSON.stringify(value));
  return parsed;
}

/** The enabled routes of a configuration. */
export function describedRoutes({ plugins }: Pick<ResolvedConfig, 'plugins'>): DescribedRoute[] {
  const { routes } = plugins.entries.webhooks.config;
  return Object.entries(routes)
    .filter(([, { enabled }]) => enabled)
    .map(([id, { path, description }]) => ({ id, path, description }));
}
