import type { Preset } from './preset.js';

const ALERT = {
  status: 'firing',
  labels: { alertname: 'DiskFull', instance: 'db1:9100', severity: 'critical' },
  annotations: { summary: 'The disk of db1 is 95 % full' },
  startsAt: '2026-11-20T09:30:00Z',
  endsAt: '0001-01-01T00:00:00Z',
  generatorURL: 'https://prometheus.example.com/graph?g0.expr=disk',
  fingerprint: 'c8a0f2f1c8a0f2f1',
} as const;

const GROUP = {
  receiver: 'svc',
  status: 'firing',
  groupLabels: { alertname: 'DiskFull' },
  commonLabels: ALERT.labels,
  commonAnnotations: ALERT.annotations,
  groupKey: '{}:{alertname="DiskFull"}',
  truncatedAlerts: 0,
} as const;

export const ALERTS: readonly Preset[] = [
  {
    name: 'grafana.alert',
    title: 'Grafana: alert',
    setup:
      'A contact point of type *Webhook* with the URL, and under *HMAC signature* a secret and the timestamp header `X-Grafana-Timestamp`. Set *Max Alerts* to 40: lists of more than 65,536 characters are refused.',
    route: {
      verify: {
        scheme: 'hmac',
        secrets: ['env:GRAFANA_WEBHOOK_SECRET'],
        header: 'X-Grafana-Alerting-Signature',
        timestamp: 'X-Grafana-Timestamp',
        payload: '{timestamp}:{body}',
      },
      map: [
        { when: { '/status': 'resolved' }, ignore: true },
        {
          action: 'create_flow',
          set: {
            goal: '{/title}',
            stateJson: { labels: '{/commonLabels}', alerts: '{/alerts}' },
          },
        },
      ],
    },
    body: {
      ...GROUP,
      version: '1',
      orgId: 1,
      title: '[FIRING:1] DiskFull (db1:9100 critical)',
      state: 'alerting',
      message: 'The disk of db1 is 95 % full',
      externalURL: 'https://grafana.example.com/',
      alerts: [{ ...ALERT, values: { A: 95 } }],
    },
  },
  {
    name: 'alertmanager.alert',
    title: 'Alertmanager: alert',
    setup:
      'A receiver with `webhook_configs`: the `url`, and in `http_config` either `authorization` with the secret as `credentials`, or `basic_auth`; for that, use the scheme `basic` and a secret of the form `user:password`. Set `max_alerts: 40`: lists of more than 65,536 characters are refused.',
    route: {
      verify: { scheme: 'bearer', secrets: ['env:ALERTMANAGER_WEBHOOK_SECRET'] },
      map: [
        {
          when: { '/status': 'firing' },
          action: 'create_flow',
          set: {
            goal: '{/commonLabels/alertname}: {/commonAnnotations/summary}',
            stateJson: { group: '{/groupKey}', alerts: '{/alerts}' },
          },
          task: { runtime: 'subagent', task: 'Find the cause of {/commonLabels/alertname}' },
        },
      ],
    },
    body: {
      ...GROUP,
      version: '4',
      externalURL: 'https://alertmanager.example.com',
      alerts: [ALERT],
    },
  },
  {
    name: 'sentry.issue',
    title: 'Sentry: issue',
    setup:
      'An internal integration with the URL as webhook, the issue events, and its client secret as secret.',
    route: {
      verify: {
        scheme: 'hmac',
        secrets: ['env:SENTRY_CLIENT_SECRET'],
        header: 'Sentry-Hook-Signature',
      },
      deliveryId: 'Request-ID',
      eventName: 'Sentry-Hook-Resource',
      map: [
        {
          when: { event: 'issue', '/action': 'created' },
          action: 'create_flow',
          set: {
            goal: 'Fix {/data/issue/title}',
            stateJson: { issue: '{/data/issue/shortId}', url: '{/data/issue/web_url}' },
          },
        },
      ],
    },
    headers: { 'sentry-hook-resource': 'issue', 'sentry-hook-timestamp': '1700000000' },
    body: {
      action: 'created',
      installation: { uuid: 'a8e5d37a-696c-4c54-adb5-b3f28d64c7de' },
      data: {
        issue: {
          id: '1170820242',
          shortId: 'ENGINE-1',
          title: 'ReferenceError: blueberry is not defined',
          culprit: 'compute(engine.js)',
          level: 'error',
          status: 'unresolved',
          web_url: 'https://ada.sentry.io/issues/1170820242/',
          project: { id: '1', name: 'engine', slug: 'engine' },
        },
      },
      actor: { type: 'application', id: 'sentry', name: 'Sentry' },
    },
  },
];
