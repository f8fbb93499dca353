import type { Preset } from './preset.js';

const GITHUB = {
  setup:
    'In *Settings, Webhooks* of the repository or organization: the URL of the route, content type `application/json`, a secret, and the event.',
  verify: { scheme: 'github', secrets: ['env:GITHUB_WEBHOOK_SECRET'] },
} as const;

const REPOSITORY = {
  full_name: 'ada/engine',
  html_url: 'https://github.com/ada/engine',
  default_branch: 'main',
} as const;

export const CODE_HOSTS: readonly Preset[] = [
  {
    name: 'github.push',
    title: 'GitHub: push',
    setup: GITHUB.setup,
    route: {
      verify: GITHUB.verify,
      map: [
        {
          when: { event: 'push', '/ref': 'refs/heads/main', '/deleted': false },
          action: 'create_flow',
          set: {
            goal: 'Check {/head_commit/message} in {/repository/full_name}',
            stateJson: { commit: '{/after}', compare: '{/compare}' },
          },
          task: { runtime: 'subagent', task: 'Review the changes at {/compare}' },
        },
      ],
    },
    headers: { 'x-github-event': 'push' },
    body: {
      ref: 'refs/heads/main',
      before: '6113728f27ae82c7b1a177c8d03f9e96e0adf246',
      after: '0d1a26e67d8f5eaf1f6ba5c57fc3c7d91ac0fd1c',
      compare: 'https://github.com/ada/engine/compare/6113728f27ae...0d1a26e67d8f',
      created: false,
      deleted: false,
      forced: false,
      commits: [{ id: '0d1a26e67d8f5eaf1f6ba5c57fc3c7d91ac0fd1c', message: 'Add notes' }],
      head_commit: { id: '0d1a26e67d8f5eaf1f6ba5c57fc3c7d91ac0fd1c', message: 'Add notes' },
      repository: REPOSITORY,
      pusher: { name: 'ada' },
      sender: { login: 'ada' },
    },
  },
  {
    name: 'github.pull_request',
    title: 'GitHub: pull request',
    setup: GITHUB.setup,
    route: {
      verify: GITHUB.verify,
      map: [
        {
          when: {
            event: 'pull_request',
            '/action': ['opened', 'reopened'],
            '/pull_request/draft': false,
          },
          action: 'create_flow',
          set: {
            goal: 'Review {/pull_request/title} by {/sender/login}',
            stateJson: { pr: '{/number}', url: '{/pull_request/html_url}' },
          },
        },
      ],
    },
    headers: { 'x-github-event': 'pull_request' },
    body: {
      action: 'opened',
      number: 7,
      pull_request: {
        number: 7,
        title: 'Compute Bernoulli numbers',
        state: 'open',
        draft: false,
        html_url: 'https://github.com/ada/engine/pull/7',
        head: { ref: 'bernoulli', sha: '0d1a26e67d8f5eaf1f6ba5c57fc3c7d91ac0fd1c' },
        base: { ref: 'main' },
        user: { login: 'ada' },
      },
      repository: REPOSITORY,
      sender: { login: 'ada' },
    },
  },
  {
    name: 'github.workflow_run',
    title: 'GitHub: workflow run',
    setup: GITHUB.setup,
    route: {
      verify: GITHUB.verify,
      map: [
        {
          when: {
            event: 'workflow_run',
            '/action': 'completed',
            '/workflow_run/conclusion': ['failure', 'timed_out'],
          },
          action: 'create_flow',
          set: {
            goal: 'Fix {/workflow_run/name} on {/workflow_run/head_branch}',
            stateJson: { run: '{/workflow_run/id}', url: '{/workflow_run/html_url}' },
          },
        },
      ],
    },
    headers: { 'x-github-event': 'workflow_run' },
    body: {
      action: 'completed',
      workflow_run: {
        id: 289782451,
        name: 'Tests',
        run_number: 12,
        event: 'push',
        status: 'completed',
        conclusion: 'failure',
        head_branch: 'main',
        head_sha: '0d1a26e67d8f5eaf1f6ba5c57fc3c7d91ac0fd1c',
        html_url: 'https://github.com/ada/engine/actions/runs/289782451',
      },
      repository: REPOSITORY,
      sender: { login: 'ada' },
    },
  },
  {
    name: 'gitlab.pipeline',
    title: 'GitLab: pipeline',
    setup:
      'In *Settings, Webhooks* of the project: the URL, a secret token, and *Pipeline events*. With a signing token (`whsec_…`) instead, use the scheme `standard-webhooks`, `"deliveryId": "Idempotency-Key"` and `"eventName": "X-Gitlab-Event"`.',
    route: {
      verify: { scheme: 'gitlab', secrets: ['env:GITLAB_WEBHOOK_TOKEN'] },
      map: [
        {
          when: { event: 'Pipeline Hook', '/object_attributes/status': 'failed' },
          action: 'create_flow',
          set: {
            goal: 'Fix pipeline {/object_attributes/id} of {/project/path_with_namespace}',
            stateJson: { ref: '{/object_attributes/ref}', sha: '{/object_attributes/sha}' },
          },
        },
      ],
    },
    headers: { 'x-gitlab-event': 'Pipeline Hook' },
    body: {
      object_kind: 'pipeline',
      object_attributes: {
        id: 31,
        iid: 3,
        ref: 'main',
        tag: false,
        sha: 'bcbb5ec396a2c0f828686f14fac9b80b780504f2',
        source: 'push',
        status: 'failed',
        detailed_status: 'failed',
        duration: 63,
      },
      user: { name: 'Ada', username: 'ada' },
      project: {
        id: 1,
        name: 'engine',
        web_url: 'https://gitlab.example.com/ada/engine',
        path_with_namespace: 'ada/engine',
        default_branch: 'main',
      },
    },
  },
];
