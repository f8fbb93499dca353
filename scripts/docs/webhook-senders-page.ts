import type { Preset } from '../../src/engine/webhooks/presets/preset.js';
import { PRESETS } from '../../src/engine/webhooks/trigger-preset.js';
import { fence, GENERATED, sectionLink, table } from './markdown.js';

const OTHERS_TITLE = 'Other systems that sign';

const ADD_ROUTE = `svc config set plugins.entries.webhooks.config.routes.github "$(cat route.json)"
svc config set plugins.entries.webhooks.enabled true
svc webhook serve`;

const INTRODUCTION = `${GENERATED}

# Webhook senders

How to connect common systems to a [webhook route](webhooks.md): ${PRESETS.map(({ title }) => sectionLink(title)).join(' · ')} ·
${sectionLink(OTHERS_TITLE)}

Each section has what to do at the sender, and a route that verifies its requests and turns them into [flows](flows.md). Save the
route as \`route.json\`, change its session and rules, and store the secret where the route reads it. Add the route under an ID of
your choice, such as \`github\`; then start the listener, or restart it:

${fence('sh', ADD_ROUTE)}

The URL of a route is the public address of the listener with the path of the route, such as
\`https://hooks.example.com/plugins/webhooks/github\`.

Several events of one sender, such as those of GitHub below, can share a route: put the rules of all into its \`map\`. Separate
routes need separate webhooks at the sender, each with its own secret.

A flow does not end with its task, nor when the sender sends nothing more: see
[when a flow ends](webhooks.md#when-a-flow-ends).

To check a route, send it an example of what the sender sends, or show what it would do with a request that you recorded:

${fence('sh', 'svc webhook trigger github.push\nsvc webhook map github --data @push.json --headers @headers.json')}

`;

const OTHERS = `## ${OTHERS_TITLE}

Most other systems sign the body with HMAC-SHA256. Use the scheme \`hmac\` with these keys:

${table(
  ['sender', '`header`', 'other keys of `verify`', '`deliveryId`', '`eventName`'],
  [
    [
      'Bitbucket',
      '`X-Hub-Signature`',
      '`"prefix": "sha256="`',
      '`X-Request-UUID`',
      '`X-Event-Key`',
    ],
    ['Gitea', '`X-Gitea-Signature`', '', '`X-Gitea-Delivery`', '`X-Gitea-Event`'],
    ['Forgejo', '`X-Forgejo-Signature`', '', '`X-Forgejo-Delivery`', '`X-Forgejo-Event`'],
    [
      'PagerDuty',
      '`X-PagerDuty-Signature`',
      '`"prefix": "v1="`',
      '`X-Webhook-Id`',
      '`/event/event_type`',
    ],
    [
      'Shopify',
      '`X-Shopify-Hmac-Sha256`',
      '`"encoding": "base64"`',
      '`X-Shopify-Webhook-Id`',
      '`X-Shopify-Topic`',
    ],
  ],
)}

Bitbucket Data Center sends \`X-Request-Id\` instead. Gitea and Forgejo sign their JSON even if they send a form: choose JSON.

Signatures of these senders do not cover a time, and their ids are not signed. Always use HTTPS, so that no one can record and
repeat a request.

Not supported: Twilio (signs the public address), Amazon SNS (needs requests to addresses in the body) and Discord (needs
interactive answers).
`;

/** docs/webhook-senders.md, from the presets. */
export function webhookSendersPage(): string {
  return `${INTRODUCTION}${PRESETS.map(section).join('\n')}\n${OTHERS}`;
}

function section({ name, title, setup, route }: Preset): string {
  const example = { sessionKey: 'agent:main:main', ...route };
  return `## ${title}

${setup}

Preset: \`${name}\`. Route:

${fence('json', JSON.stringify(example, undefined, 2))}
`;
}
