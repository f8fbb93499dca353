import * as z from 'zod/mini';
import {
  count,
  type DocumentOf,
  documentSchema,
  field,
  listField,
  objectOrNullField,
} from '../errors/output-schema.js';
import { printedSchema } from '../flow-model/record-schemas.js';
import { DELIVERY_FIELDS } from './deliveries/delivery-record.js';

/** `svc webhook routes --json`. */
export const routesOutputSchema = documentSchema({
  file: field.textOrNull('Absolute path of the configuration; `null` when none was found.'),
  enabled: field.flag('Whether webhooks are enabled.'),
  listening: field.textOrNull(
    'Address of the running listener of this state folder; `null` if none is running.',
  ),
  routes: listField('One entry per route.', {
    id: field.text('Its key in `plugins.entries.webhooks.config.routes`.'),
    path: field.text('The path for requests.'),
    state: field(
      z.enum(['served', 'off', 'skipped']),
      '`served`: accepts requests. `off`: it, or webhooks as a whole, is disabled. `skipped`: it has no secret that can be read.',
    ),
    sessionKey: field.text('The session that owns its flows.'),
    controllerId: field.text('The controller of its flows.'),
    description: field.textOrNull('From the configuration; `null` if there is none.'),
    scheme: field.text('How its sender is verified: `secret`, or the `scheme` of `verify`.'),
    rules: field(
      z.nullable(count),
      'How many rules map bodies to actions; `null` if bodies are actions.',
    ),
    secretSource: field.text('Where its secret is read from; several are separated by commas.'),
    fault: objectOrNullField(
      'Why it is skipped, or why one of several secrets is not accepted; `null` if neither is so.',
      {
        message: field.text('For people.'),
        hint: field.textOrNull('How to fix it; `null` if unknown.'),
      },
    ),
    requests: field.count('Answered requests, by all listeners so far.'),
    rejected: field.count('How many of them were rejected.'),
    last: objectOrNullField(
      'The last answer; `null` before the first. Updated every two seconds.',
      {
        at: field.time('When.'),
        status: field(z.int(), 'Its HTTP status.'),
        code: field.textOrNull('Why it was rejected; `null` if it was not.'),
        action: field.textOrNull('The action; `null` if it was rejected before.'),
      },
    ),
  }),
});

/** The answer of a route to a request. */
const answerFields = {
  url: field.text('Where the request was sent.'),
  status: field(z.int(), 'HTTP status of the answer.'),
  answer: field(
    z.record(z.string(), z.unknown()),
    'The answer, see [webhooks.md](webhooks.md#answers).',
  ),
};

/** `svc webhook call --json`. */
export const callOutputSchema = documentSchema({
  ...answerFields,
  curl: field.text(
    'The same request as a shell command, with `$SVC_WEBHOOK_SECRET` in place of the secret.',
  ),
});

/** `svc webhook trigger --json`. */
export const triggerOutputSchema = documentSchema({
  preset: field.text('Name of the preset.'),
  route: field.text('ID of the route.'),
  ...answerFields,
  curl: field.text('The same request as a shell command. A signature expires after minutes.'),
});

/** `svc webhook map --json`. */
export const mapOutputSchema = documentSchema({
  route: field.text('ID of the route.'),
  verified: field(
    z.nullable(z.boolean()),
    'Whether the route would accept the request; `null` if its headers were not given.',
  ),
  reason: field.textOrNull('Why it would not be accepted; `null` if it would.'),
  event: field.textOrNull('The event; `null` if there is none.'),
  outcome: field.text('`action`, `ignored`, `challenge`, `ping`, or the code of the rejection.'),
  rule: field(
    z.nullable(count),
    'Which rule applies, counted from 1; `null` if none does, or the body is an action.',
  ),
  action: field(
    z.nullable(z.array(z.record(z.string(), z.unknown()))),
    'The action, and the `run_task` that follows it, if any; `null` if there is none.',
  ),
  error: field.textOrNull('Why it would be rejected; `null` if it would not.'),
});

const deliverySchema = printedSchema(DELIVERY_FIELDS);

/** `svc webhook deliveries --json`; with `--follow`, each line is one of `deliveries`. */
export const deliveriesOutputSchema = documentSchema({
  deliveries: field(z.array(deliverySchema), 'The newest first.'),
  total: field.count('How many there are without `--limit`.'),
});

/** `svc webhook show --json`. */
export const deliveryOutputSchema = documentSchema({
  delivery: field(deliverySchema, 'The delivery.'),
  headers: field(
    z.record(z.string(), z.string()),
    'The headers that matter for a replay. Never secrets or signatures.',
  ),
  body: field.textOrNull('The body, with secrets masked; `null` if it was not kept.'),
});

/** `svc webhook replay --json`. */
export const replayOutputSchema = documentSchema({
  replayOf: field.text('ID of the delivery.'),
  route: field.text('ID of the route.'),
  id: field.textOrNull('ID of the replay; `null` if it could not be recorded.'),
  status: field(z.int(), 'HTTP status that the answer would have.'),
  firstAnswer: field.flag(
    'Whether it is the answer that the delivery got before, and nothing was done.',
  ),
  answer: field(
    z.record(z.string(), z.unknown()),
    'The answer, see [webhooks.md](webhooks.md#answers).',
  ),
});

/** `svc webhook secret rotate --json`. */
export const rotateOutputSchema = documentSchema({
  route: field.text('ID of the route.'),
  file: field.textOrNull('The changed configuration; `null` if nothing was changed.'),
  secrets: field.texts(
    'Where the valid secrets are read from, the newest first. Never their values.',
  ),
  next: field.texts('What to do next, in order.'),
});

/** `svc webhook secret generate --json`. */
export const secretOutputSchema = documentSchema({
  secret: field.text('256 random bits in letters, digits, `_` and `-`.'),
});

/** The documents without their warnings, which the command base adds. */
export type RoutesOutput = DocumentOf<typeof routesOutputSchema>;
export type CallOutput = DocumentOf<typeof callOutputSchema>;
export type TriggerOutput = DocumentOf<typeof triggerOutputSchema>;
export type MapOutput = DocumentOf<typeof mapOutputSchema>;
export type DeliveriesOutput = DocumentOf<typeof deliveriesOutputSchema>;
export type DeliveryShowOutput = DocumentOf<typeof deliveryOutputSchema>;
export type ReplayOutput = DocumentOf<typeof replayOutputSchema>;
export type RotateOutput = DocumentOf<typeof rotateOutputSchema>;
export type SecretOutput = DocumentOf<typeof secretOutputSchema>;
