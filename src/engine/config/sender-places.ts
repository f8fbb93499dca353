import type { RouteInput } from './schema/index.js';

/** Where a sender writes the id of a delivery and the name of its event: headers, or JSON pointers. */
interface SenderPlaces {
  /** The first that a request has counts. */
  readonly id: readonly string[];
  /** Undefined if the sender names no event. */
  readonly event: string | undefined;
}

const NOWHERE: SenderPlaces = { id: [], event: undefined };

type Scheme = NonNullable<RouteInput['verify']>['scheme'];

const PLACES: Readonly<Partial<Record<Scheme, SenderPlaces>>> = {
  'standard-webhooks': { id: ['webhook-id', 'svix-id'], event: '/type' },
  github: { id: ['x-github-delivery'], event: 'x-github-event' },
  // A hook that triggers others shares its event id with them; newer versions also send a key for each.
  gitlab: { id: ['idempotency-key', 'x-gitlab-event-uuid'], event: 'x-gitlab-event' },
  stripe: { id: ['/id'], event: '/type' },
  slack: { id: ['/event_id'], event: '/event/type' },
};

/** The places of a route: its own, or those of its scheme. */
export function senderPlaces({
  verify,
  deliveryId,
  eventName,
}: {
  readonly verify?: { readonly scheme: Scheme } | undefined;
  readonly deliveryId?: string | undefined;
  readonly eventName?: string | undefined;
}): SenderPlaces {
  const ofScheme = (verify === undefined ? undefined : PLACES[verify.scheme]) ?? NOWHERE;
  return {
    id: deliveryId === undefined ? ofScheme.id : [deliveryId],
    event: eventName ?? ofScheme.event,
  };
}
