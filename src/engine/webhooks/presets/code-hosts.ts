import type { MapRule } from '../../config/index.js';
import type { JsonObject } from '../../flow-model/fields.js';
import type { Preset } from './preset.js';

/** A repository webhook of GitHub for one event, whose rule creates a flow. */
function github(
  event: string,
  title: string,
  { when, ...rule }: Pick<MapRule, 'set' | 'task' | 'when'>,
  body: JsonObject,
  note = '',
): Preset {
  return {
    name: `github.${event}`,
    title: `GitHub: ${title}`,
    setup: `In *Settings, Webhooks* of the repository or organization: the URL of the route, content type \`application/json\`, a secret, and the event.${note}`,
    route: {
      verify: { scheme: 'github', secrets: ['env:GITHUB_WEBHOOK_SECRET'] },
      map: [{ when: { event, ...when }, action: 'create_flow', ...rule }],
    },
    headers: { 'x-github-event': event },
    body: {
      ...body,
      repository: {
        full_name: 'ada/engine',
        html_url: 'https://github.com/ada/engine',
        default_branch: 'main',
      },
      sender: { login: 'ada' },
    },
  };
}

export const CODE_HOSTS: readonly Preset[] = [
  github(
    'push',
    'push',
    {
      when: { '/ref': 'refs/heads/main', '/deleted': false },
      set: {
        goal: 'Check {/head_commit/message} in {/repository/full_name}',
        stateJson: { commit: '{/after}', compare: '{/compare}' },
      },
      task: { runtime: 'subagent', task: 'Review the changes at {/compare}' },
    },
    {
      ref: 'refs/heads/main',
      before: '6113728f27ae82c7b1a177c8d03f9e96e0adf246',
      after: '0d1a26e67d8f5eaf1f6ba5c57fc3c7d91ac0fd1c',
      compare: 'https://github.com/ada/engine/compare/6113728f27ae...0d1a26e67d8f',
      created: false,
      deleted: false,
      forced: false,
      commits: [{ id: '0d1a26e67d8f5eaf1f6ba5c57fc3c7d91ac0fd1c', message: 'Add notes' }],
      head_commit: { id: '0d1a26e67d8f5eaf1f6ba5c57fc3c7d91ac0fd1c', message: 'Add notes' },
      pusher: { name: 'ada' },
    },
    ' A push of hundreds of commits can be larger than [`limits.bodyBytes`](webhooks.md#answers), and is refused with 413 then: GitHub sends up to 25 MB.',
  ),
  github(
    'pull_request',
    'pull request',
    {
      when: { '/action': ['opened', 'reopened'], '/pull_request/draft': false },
      set: {
        goal: 'Review {/pull_request/title} by {/sender/login}',
        stateJson: { pr: '{/number}', url: '{/pull_request/html_url}' },
      },
    },
    {
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
    },
  ),
  github(
    'workflow_run',
    'workflow run',
    {
      when: { '/action': 'completed', '/workflow_run/conclusion': ['failure', 'timed_out'] },
      set: {
        goal: 'Fix {/workflow_run/name} on {/workflow_run/head_branch}',
        stateJson: { run: '{/workflow_run/id}', url: '{/workflow_run/html_url}' },
      },
    },
    {
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
    },
  ),
  {
    name: 'gitlab.pipeline',
    title: 'GitLab: pipeline',
    setup:
      'In *Settings, Webhooks* of the project: the URL, a secret token, and *Pipeline events*. With a signing token (`whsec_…`) instead, use the scheme `standard-webhooks` and `"eventName": "X-Gitlab-Event"`.',
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
