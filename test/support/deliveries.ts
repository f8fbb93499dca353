import { createSecretMask } from '../../src/engine/masking/index.js';
import type { NewDelivery } from '../../src/engine/webhooks/deliveries/delivery.js';
import { DeliveryReader } from '../../src/engine/webhooks/deliveries/delivery-reader.js';
import {
  DeliveryRecorder,
  type RecorderOptions,
} from '../../src/engine/webhooks/deliveries/delivery-recorder.js';
import { testLog } from './services.js';

/** How a delivery of a test differs from an ordinary one. */
export interface TestDelivery {
  readonly body?: string | Buffer;
  readonly route?: string;
  readonly isVerified?: boolean;
  readonly atMs?: number;
  readonly reason?: string;
  readonly contentType?: string;
}

/** A delivery of a push, performed unless there is a reason against it. */
export function newDelivery({
  route = 'ci',
  isVerified = true,
  atMs = Date.now(),
  body = '{"n":1}',
  contentType = 'application/json',
  reason,
}: TestDelivery = {}): NewDelivery {
  const outcome =
    reason === undefined
      ? ({ status: 200, code: null, reason: null, action: 'create_flow' } as const)
      : ({ status: 401, code: 'unauthorized', reason, action: null } as const);
  return {
    answered: { routeId: route, requestId: 'r', clientIp: '::1', ms: 1.23, ...outcome },
    atMs,
    headers: { 'content-type': contentType },
    delivery: isVerified ? { body: Buffer.from(body), event: 'push', id: 'd1' } : undefined,
    flowId: null,
    replayOf: null,
  };
}

/** Records deliveries in a state folder. @returns their ids, the newest first */
export async function recordDeliveries(
  stateDir: string,
  deliveries: readonly NewDelivery[],
  options: Partial<RecorderOptions> = {},
): Promise<readonly string[]> {
  const limits = { keep: 1000, days: 7, maxBodyBytes: 65_536, maxMegabytes: 64 };
  const recorder = new DeliveryRecorder({
    stateDir,
    limits,
    mask: createSecretMask(),
    clock: { now: Date.now },
    log: testLog().logger,
    ...options,
  });
  for (const delivery of deliveries) recorder.record(delivery);
  await recorder.close();
  const reader = new DeliveryReader(stateDir);
  const ids = reader.list({ limit: 9999 }).map(({ id }) => id);
  reader.close();
  return ids;
}
