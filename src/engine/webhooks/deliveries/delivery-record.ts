import { field, nullable, printer, type RecordOf } from '../../flow-model/fields.js';

export const DELIVERY_FIELDS = {
  seq: field('count', 'In the order in which deliveries were recorded.', { operators: false }),
  id: field('text', 'Its ID in the record; commands accept the beginning of it.'),
  atMs: field('time', 'When it was answered.', { operators: 'at' }),
  route: field('text', 'ID of the route.'),
  event: nullable('text', 'The event; `null` if there is none or it is unknown.'),
  deliveryId: nullable('text', 'The ID that its sender gave it; `null` likewise.'),
  clientIp: nullable(
    'text',
    'Address of the client; `null` for a replay, or if the connection was reset at once.',
    { operators: 'client' },
  ),
  requestId: field('text', 'As in the log and in the response.'),
  isVerified: field('flag', 'Whether its sender was known.', { operators: 'verified' }),
  status: field('count', 'HTTP status of the answer.'),
  code: nullable('text', 'Why it was rejected; `null` if it was not.'),
  reason: nullable('text', 'The same in words.'),
  ms: field('number', 'How long the answer took, in milliseconds.'),
  action: nullable(
    'text',
    'The action; `start_flow` is `create_flow` with a task. `null` if it was rejected before.',
  ),
  flowId: nullable('text', 'The flow of the answer; `null` if there is none.'),
  replayOf: nullable('text', 'The delivery that it repeats; `null` for all others.'),
  bodyState: field(
    ['whole', 'cut', 'masked', 'binary', 'none'],
    'How its body was kept; only a `whole` one can be replayed.',
  ),
  bodyBytes: field('count', 'Size of the body as it was received; 0 if it was not read.'),
};

/** A recorded delivery. */
export type Delivery = RecordOf<typeof DELIVERY_FIELDS>;

/** A delivery with its headers and body, which lists leave out. */
export interface DeliveryDetails extends Delivery {
  /** Those that decide what is done with the body; see replayHeaders. */
  readonly headers: Readonly<Record<string, string>>;
  /** Empty if it was not kept. */
  readonly body: string;
}

/** A delivery as operators see it. */
export const deliveryOutput = printer(DELIVERY_FIELDS);
