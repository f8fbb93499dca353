import { type Fields, printer, type RecordOf } from '../../flow-model/fields.js';

export const DELIVERY_FIELDS = {
  seq: {
    kind: 'count',
    meaning: 'In the order in which deliveries were recorded.',
    operators: false,
  },
  id: { kind: 'text', meaning: 'Its ID in the record; commands accept the beginning of it.' },
  atMs: { kind: 'time', meaning: 'When it was answered.', operators: 'at' },
  route: { kind: 'text', meaning: 'ID of the route.' },
  event: {
    kind: 'text',
    meaning: 'The event; `null` if there is none or it is unknown.',
    nullable: true,
  },
  deliveryId: {
    kind: 'text',
    meaning: 'The ID that its sender gave it; `null` likewise.',
    nullable: true,
  },
  clientIp: {
    kind: 'text',
    meaning: 'Address of the client; `null` for a replay, or if the connection was reset at once.',
    nullable: true,
    operators: 'client',
  },
  requestId: { kind: 'text', meaning: 'As in the log and in the response.' },
  isVerified: { kind: 'flag', meaning: 'Whether its sender was known.', operators: 'verified' },
  status: { kind: 'count', meaning: 'HTTP status of the answer.' },
  code: { kind: 'text', meaning: 'Why it was rejected; `null` if it was not.', nullable: true },
  reason: { kind: 'text', meaning: 'The same in words.', nullable: true },
  ms: { kind: 'number', meaning: 'How long the answer took, in milliseconds.' },
  action: {
    kind: 'text',
    meaning:
      'The action; `start_flow` is `create_flow` with a task. `null` if it was rejected before.',
    nullable: true,
  },
  flowId: {
    kind: 'text',
    meaning: 'The flow of the answer; `null` if there is none.',
    nullable: true,
  },
  replayOf: {
    kind: 'text',
    meaning: 'The delivery that it repeats; `null` for all others.',
    nullable: true,
  },
  bodyState: {
    kind: ['whole', 'cut', 'masked', 'binary', 'none'],
    meaning: 'How its body was kept; only a `whole` one can be replayed.',
  },
  bodyBytes: {
    kind: 'count',
    meaning: 'Size of the body as it was received; 0 if it was not read.',
  },
} as const satisfies Fields;

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
