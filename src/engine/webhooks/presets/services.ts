import type { Preset } from './preset.js';

/** For systems that can send any header and body. */
const OWN = {
  deliveryId: 'Idempotency-Key',
  map: [
    {
      action: 'create_flow',
      set: { goal: '{/title}', stateJson: { data: '{/data}' } },
    },
  ],
} as const;

export const SERVICES: readonly Preset[] = [
  {
    name: 'stripe.invoice',
    title: 'Stripe: invoice',
    setup:
      'An event destination of type *Webhook endpoint* with the URL and the event `invoice.payment_failed`; its signing secret (`whsec_…`) is the secret.',
    route: {
      verify: { scheme: 'stripe', secrets: ['env:STRIPE_WEBHOOK_SECRET'] },
      map: [
        {
          when: { event: 'invoice.payment_failed' },
          action: 'create_flow',
          set: {
            goal: 'Ask {/data/object/customer_email} about invoice {/data/object/id}',
            stateJson: {
              amount: '{/data/object/amount_due}',
              url: '{/data/object/hosted_invoice_url}',
            },
          },
        },
      ],
    },
    body: {
      id: 'evt_1',
      object: 'event',
      created: 1_700_000_000,
      livemode: false,
      type: 'invoice.payment_failed',
      data: {
        object: {
          id: 'in_1',
          object: 'invoice',
          customer: 'cus_1',
          customer_email: 'ada@example.com',
          amount_due: 1999,
          currency: 'usd',
          attempt_count: 1,
          hosted_invoice_url: 'https://invoice.stripe.com/i/acct_1/test_1',
        },
      },
    },
  },
  {
    name: 'slack.event',
    title: 'Slack: event',
    setup:
      'An app with *Event Subscriptions*: the URL as request URL, and the event `app_mention`. Its signing secret is the secret; the URL is verified automatically.',
    route: {
      verify: { scheme: 'slack', secrets: ['env:SLACK_SIGNING_SECRET'] },
      map: [
        {
          when: { event: 'app_mention', '/event/bot_id': { exists: false } },
          action: 'create_flow',
          set: {
            goal: 'Answer {/event/user}: {/event/text}',
            stateJson: { channel: '{/event/channel}', thread: '{/event/ts}' },
          },
        },
      ],
    },
    body: {
      type: 'event_callback',
      team_id: 'T123ABC456',
      api_app_id: 'A123ABC456',
      event: {
        type: 'app_mention',
        user: 'U123ABC456',
        text: '<@U0LAN0Z89> is the release out?',
        channel: 'C123ABC456',
        ts: '1700000000.000100',
      },
      event_id: 'Ev1',
      event_time: 1_700_000_000,
    },
  },
  {
    name: 'linear.issue',
    title: 'Linear: issue',
    setup:
      'A webhook in *Settings, API* with the URL and the resource *Issues*; its signing secret is the secret. Linear repeats a failed delivery for up to seven hours, and its body can keep the time of the first attempt, hence `toleranceSeconds`.',
    route: {
      verify: {
        scheme: 'hmac',
        secrets: ['env:LINEAR_WEBHOOK_SECRET'],
        header: 'Linear-Signature',
        timestamp: '/webhookTimestamp',
        toleranceSeconds: 28_800,
      },
      deliveryId: 'Linear-Delivery',
      eventName: 'Linear-Event',
      acceptedStatus: 200,
      map: [
        {
          when: { event: 'Issue', '/action': 'create' },
          action: 'create_flow',
          set: { goal: '{/data/identifier}: {/data/title}', stateJson: { url: '{/url}' } },
        },
      ],
    },
    headers: { 'linear-event': 'Issue' },
    body: {
      action: 'create',
      type: 'Issue',
      createdAt: '2026-11-20T09:30:00.000Z',
      data: {
        id: '2174add1-f7c8-44e3-bbf3-2d60b5ea8bc9',
        identifier: 'ENG-42',
        title: 'Compute faster',
        priority: 2,
      },
      url: 'https://linear.app/ada/issue/ENG-42/compute-faster',
      webhookTimestamp: 1_700_000_000_000,
      webhookId: '000042e3-d123-4980-b49f-8e140eef9329',
      actor: { id: 'b5ea5f1f-8adc-4f52-b4bd-ab4e84cf51ba', type: 'user', name: 'Ada' },
    },
  },
  {
    name: 'standard.event',
    title: 'Standard Webhooks, Svix: event',
    setup: 'An endpoint with the URL; its signing secret (`whsec_…`) is the secret.',
    route: {
      verify: { scheme: 'standard-webhooks', secrets: ['env:STANDARD_WEBHOOK_SECRET'] },
      map: [
        {
          when: { event: 'user.created' },
          action: 'create_flow',
          set: { goal: 'Welcome {/data/email}', stateJson: { user: '{/data/id}' } },
        },
      ],
    },
    body: {
      type: 'user.created',
      timestamp: '2026-11-20T09:30:00Z',
      data: { id: 'usr_1', email: 'ada@example.com' },
    },
  },
  {
    name: 'n8n.node',
    title: 'n8n: HTTP Request node',
    setup:
      'An *HTTP Request* node: POST, the URL, *Bearer Auth* with the secret, a header `Idempotency-Key` with `{{ $execution.id }}`, and a JSON body with `title` and `data`.',
    route: { ...OWN, verify: { scheme: 'bearer', secrets: ['env:N8N_WEBHOOK_SECRET'] } },
    body: { title: 'Answer the mail from Ada', data: { from: 'ada@example.com', mail: 17 } },
  },
  {
    name: 'zapier.request',
    title: 'Zapier: API request',
    setup:
      'An *API by Zapier* step: POST, the URL, the header `Authorization` with `Bearer` and the secret, and a JSON body with `title` and `data`.',
    route: { ...OWN, verify: { scheme: 'bearer', secrets: ['env:ZAPIER_WEBHOOK_SECRET'] } },
    body: { title: 'Call back the new lead', data: { name: 'Ada', phone: '+44 20 7946 0000' } },
  },
  {
    name: 'cron.curl',
    title: 'cron and curl',
    setup:
      'A line of a crontab: `0 6 * * * curl -sS -u "$CRON_USER_AND_PASSWORD" -H "content-type: application/json" -H "idempotency-key: report-$(date +\\%F)" --data \'{"title":"Daily report"}\' URL`',
    route: { ...OWN, verify: { scheme: 'basic', secrets: ['env:CRON_USER_AND_PASSWORD'] } },
    body: { title: 'Daily report', data: null },
  },
];
