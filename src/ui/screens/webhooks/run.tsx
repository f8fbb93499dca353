import type { ServeState } from '../../../engine/serve/index.js';
import type {
  Delivery,
  DeliveryDetails,
  LiveWebhooks,
  WebhooksSnapshot,
} from '../../../engine/webhooks/index.js';
import { createBrowser } from '../../components/browser.js';
import { BrowserScreen, browserFacts } from '../../components/browser-screen.js';
import type { BrowserAction, BrowserSource } from '../../components/browser-state.js';
import { barKey } from '../../components/key-map.js';
import type { ListItem } from '../../components/list-state.js';
import type { PaneLine } from '../../components/pane.js';
import { createState } from '../../components/store.js';
import { indentJson, safeLine } from '../../safe-text.js';
import type { Style } from '../../style.js';
import { paneFields } from '../../table.js';
import { mountScreen } from '../../terminal/mount-screen.js';
import { deliveryColumns, deliveryFields, outcomeWords } from '../../webhook/deliveries.js';
import type { ServeScreenOptions } from '../serve/run.js';
import { startedFacts } from '../serve/view.js';
import {
  addressOf,
  failureLines,
  flowLines,
  routesLines,
  serviceOf,
  type WebhooksScreenState,
} from './view.js';

/** Options of the screen. */
export interface WebhooksScreenOptions extends Omit<ServeScreenOptions, 'homeDir' | 'queue'> {
  /** Masks secrets in everything that is shown. */
  readonly mask: <T>(data: T) => T;
  /** Puts a text on the clipboard. */
  readonly copy: (text: string) => void;
  /** The listener belongs to another process and is only watched. */
  readonly isWatched?: boolean;
}

/** Often enough to look live. */
const POLL_MS = 250;

/** Opens the screen of the webhook listener. */
export function openWebhooksScreen(options: WebhooksScreenOptions) {
  const { style, now, mask, isWatched = false } = options;
  const store = createState<WebhooksScreenState>({
    serve: undefined,
    webhooks: undefined,
    nowMs: now(),
    isStopping: false,
    isWatched,
  });
  let live: LiveWebhooks | undefined;
  const browser = createBrowser(deliveriesSource(() => live?.deliveries, options));
  const reload = barKey('R reload', 'reload routes, limits and secrets', 3, () =>
    browser.perform('reload', options.onReload),
  );
  const screen = mountScreen(
    <BrowserScreen
      browser={browser}
      extraStore={store}
      title={() => titleOf(store.getSnapshot())}
      facts={(browserState) => [
        ...startedFacts(store.getSnapshot()),
        // What is on record can be read only while there is a listener.
        ...(live === undefined
          ? []
          : browserFacts(browserState, browser.choices, 'delivery', 'deliveries')),
        addressOf(store.getSnapshot()),
      ]}
      columns={() => deliveryColumns('received', store.getSnapshot().nowMs, style)}
      empty={() => (live === undefined ? '' : 'no deliveries')}
      keys={() => {
        const state = store.getSnapshot();
        const { isStopping } = state;
        const isListening = addressOf(state) !== '';
        return {
          noun: 'delivery',
          quit: isWatched
            ? { bar: 'q quit', help: isListening ? 'quit; the listener keeps running' : 'quit' }
            : isStopping
              ? { bar: 'stopping   q stop now', help: 'stop now' }
              : { bar: 'q stop', help: 'finish requests in progress and stop' },
          onStop: options.onStop,
          // Esc closes a screen that only watches; it must not stop a listener.
          escapeEnds: isWatched,
          extraKeys: isWatched || isStopping ? [] : [reload],
        };
      }}
      around={(area, { list: { items } }) => {
        const state = store.getSnapshot();
        // Without deliveries to choose from, there is more room for routes and flows.
        const share = items.length === 0 ? area.rows : Math.floor(area.rows * ROUTES_SHARE);
        const failure = failureLines(state, style, area.columns).slice(0, share);
        const routes = [
          ...failure,
          ...routesLines(state, style, area.columns, share - failure.length),
        ];
        const left = area.rows - routes.length;
        const flowRows =
          items.length === 0 ? left - 2 : area.rows >= FLOWS_FROM_ROWS ? MOST_FLOWS : 0;
        const below = flowLines(state, style, area.columns, flowRows);
        return { above: left - below.length > 1 ? [...routes, ''] : routes, below };
      }}
    />,
    options,
  );
  void browser.refresh();
  let listedDeliveries: WebhooksSnapshot['deliveries'] | undefined;
  const poll = async (): Promise<void> => {
    // Times go on even if the snapshot fails.
    store.dispatch({ nowMs: now() });
    const webhooks = live?.snapshot();
    store.dispatch({ webhooks: mask(webhooks) });
    if (webhooks !== undefined && webhooks.deliveries !== listedDeliveries) {
      await browser.refresh();
      listedDeliveries = webhooks.deliveries;
    }
    const fault = live?.flowsFault();
    if (fault !== undefined) throw fault;
  };
  const pollNow = (): void => void browser.noteOutage(poll());
  const polling = setInterval(pollNow, POLL_MS);
  return {
    setServe: (serve: ServeState | undefined) => store.dispatch({ serve, nowMs: now() }),
    /** The listener has changed, or stopped. */
    setWebhooks: (next: LiveWebhooks | undefined): void => {
      live = next;
      pollNow();
    },
    /** The process is stopping; keys change their meaning. */
    setStopping: () => store.dispatch({ isStopping: true }),
    failed: screen.failed,
    close: async (): Promise<void> => {
      clearInterval(polling);
      await screen.unmount();
    },
  };
}

const ROUTES_SHARE = 0.5;
const FLOWS_FROM_ROWS = 30;
const MOST_FLOWS = 8;

const NOT_RUNNING = 'not running: start it with "svc serve"';

function titleOf(state: WebhooksScreenState): string {
  const service = serviceOf(state);
  if (addressOf(state) !== '' || service?.failure != null) return 'svc · webhooks';
  const message = service?.event ?? (state.isWatched ? NOT_RUNNING : 'starting');
  return safeLine(`svc · webhooks · ${message}`);
}

interface DeliveryItem extends ListItem {
  readonly delivery: Delivery;
}

const MOST_LISTED = 200;

/** Deliveries as the browser reads them. @param deliveries undefined while no listener is known */
function deliveriesSource(
  deliveries: () => LiveWebhooks['deliveries'] | undefined,
  { mask, now, style, explain, copy }: WebhooksScreenOptions,
): BrowserSource<DeliveryItem, 'all' | 'failed'> {
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
      replayAction(deliveries, mask, { key: 'r', name: 'replay', again: false }),
      replayAction(deliveries, mask, { key: 'a', name: 'perform again', again: true }),
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
  deliveries: () => LiveWebhooks['deliveries'] | undefined,
  mask: WebhooksScreenOptions['mask'],
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
  const { id, body } = details;
  return [
    { text: `delivery ${id}`, paint: style.bold },
    ...paneFields(deliveryFields(details, { style, nowMs })),
    { text: '' },
    { text: indentJson(body) },
  ];
}
