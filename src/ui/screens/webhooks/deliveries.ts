import type { Delivery, DeliveryDetails, LiveDeliveries } from '../../../engine/webhooks/index.js';
import type { BrowserAction, BrowserSource } from '../../components/browser-state.js';
import type { ListItem } from '../../components/list-state.js';
import type { PaneLine } from '../../components/pane.js';
import { indentJson, safeLine } from '../../safe-text.js';
import type { Style } from '../../style.js';
import { deliveryFields, outcomeWords, statusPaint } from '../../webhook/deliveries.js';

/** A delivery in the list. */
export interface DeliveryItem extends ListItem {
  readonly delivery: Delivery;
}

/** What deliveries are read from, and how they are shown. */
interface DeliveriesOptions {
  /** Undefined while no listener is known. */
  readonly deliveries: () => LiveDeliveries | undefined;
  readonly mask: <T>(data: T) => T;
  readonly now: () => number;
  readonly style: Style;
  readonly explain: (error: unknown) => string;
  readonly copy: (text: string) => void;
}

const MOST_LISTED = 200;

/** Deliveries as the browser reads them. */
export function deliveriesSource(
  options: DeliveriesOptions,
): BrowserSource<DeliveryItem, 'all' | 'failed'> {
  const { deliveries, mask, now, style, explain, copy } = options;
  return {
    choices: ['all', 'failed'],
    list: async (choice) => {
      const filter = { limit: MOST_LISTED, failed: choice === 'failed' };
      return { items: mask(deliveries()?.list(filter) ?? []).map(itemOf) };
    },
    details: async ({ id }) => {
      const details = deliveries()?.find(id);
      return details === undefined ? [] : detailLines(mask(details), now(), style);
    },
    actions: [
      replayAction(options, { key: 'r', name: 'replay', again: false }),
      replayAction(options, { key: 'a', name: 'perform again', again: true }),
      {
        key: 'y',
        name: 'copy id',
        description: 'copy the id of the delivery',
        run: async ({ id }) => {
          copy(id);
          return `copied ${id}`;
        },
      },
    ],
    explain,
  };
}

function replayAction(
  { deliveries, mask }: DeliveriesOptions,
  { key, name, again }: { readonly key: string; readonly name: string; readonly again: boolean },
): BrowserAction<DeliveryItem> {
  return {
    key,
    name,
    description: again
      ? 'replay it as a new delivery, which performs it again'
      : 'replay it; with an id or key, its first answer is repeated',
    appliesTo: ({ delivery }) => delivery.bodyState === 'whole',
    question: ({ id, delivery }) => `${name}: delivery ${id} of route ${delivery.route}?`,
    run: async ({ id }) => {
      const replay = await deliveries()?.replay({ id, again });
      if (replay === undefined) return 'no listener is configured';
      const { answer, isFirstAnswer, unrecorded } = replay;
      const outcome = `${answer.status} ${answer.code ?? 'performed'}`;
      const words = isFirstAnswer
        ? `performed before: its first answer was ${outcome}; a performs it again`
        : `replayed: ${outcome}`;
      return mask(unrecorded === undefined ? words : `${words}; not recorded: ${unrecorded}`);
    },
  };
}

function itemOf(delivery: Delivery): DeliveryItem {
  const { id, route, event, status, clientIp, deliveryId, requestId } = delivery;
  const fields = [
    id,
    route,
    event,
    status,
    clientIp,
    deliveryId,
    requestId,
    outcomeWords(delivery),
  ];
  return { id, text: fields.filter(Boolean).join(' '), delivery };
}

function detailLines(details: DeliveryDetails, nowMs: number, style: Style): readonly PaneLine[] {
  const { id, status, body } = details;
  return [
    { text: `delivery ${id}`, paint: style.bold },
    ...deliveryFields(details, nowMs).map(([label, text]): PaneLine => {
      const paint = label === 'status' ? { paint: statusPaint(status, style) } : {};
      return { label: safeLine(label), text, ...paint };
    }),
    { text: '' },
    { text: indentJson(body) },
  ];
}
